import { generateToken } from '../../../core/model/access/tokens.js';
import { newId } from '../../../core/model/ids.js';
import type { Database } from '../../../core/data/database.js';
import type { Route } from '../../../api/http/route.js';
import { PAGE, type RequestOptions, type TestApi } from '../api.js';
import { addScimToken } from '../rows/scim-token.js';
import { scimProblems } from './scim.js';

/**
 * Checks that every route of directories refuses everybody else, pages of other sites and what it does not know, in the
 * form of SCIM. No request reaches a handler.
 * @returns one line for each problem
 */
export async function directoryRouteProblems(api: TestApi, db: Database, routes: readonly Route[]): Promise<string[]> {
  const problems: string[] = [];
  const { organizationId, projectId } = await api.owner();
  const token = await addScimToken(db, organizationId);
  const others = [(await api.key({ projectId })).key, await api.session(organizationId), generateToken('scim')];
  for (const route of routes.filter(({ keyKind }) => keyKind === 'scim')) {
    const path = route.path.replace(/:\w+/g, () => newId());
    const expectStatus = async (
      what: string,
      status: number,
      options: RequestOptions,
      target = path,
    ): Promise<void> => {
      const json = route.method === 'GET' || route.method === 'DELETE' ? {} : { json: {} };
      const answer = await api.request(route.method, target, { ...json, ...options });
      const found = [...(answer.status === status ? [] : [`answered ${answer.status}`]), ...scimProblems(answer)];
      problems.push(...found.map((problem) => `${route.method} ${route.path}: ${what}: ${problem}`));
    };
    await expectStatus('a page', 403, { key: token, headers: { origin: PAGE } });
    await expectStatus('no token', 401, {});
    for (const other of others) await expectStatus(`the token ${other.slice(0, 8)}`, 401, { key: other });
    await expectStatus('an unknown query', 400, { key: token }, `${path}?no_such_field=1`);
    if (route.method === 'POST' || route.method === 'PUT' || route.method === 'PATCH') {
      await expectStatus('a body that is no object', 400, { key: token, json: [] });
    }
  }
  return problems;
}
