import { newId } from '../../../core/model/ids.js';
import type { Route } from '../../../api/http/route.js';
import type { Answer, RequestOptions, TestApi } from '../api.js';
import { envelopeProblems } from './route-contract.js';

/**
 * Checks that every route of administrators refuses everybody else, and unknown members of a query or body. No request
 * reaches a handler.
 * @param others access tokens and others that look like ones, which are not of an administrator
 * @returns one line for each problem
 */
export async function administratorRouteProblems(
  api: TestApi,
  routes: readonly Route[],
  token: string,
  others: readonly string[],
): Promise<string[]> {
  const problems: string[] = [];
  const { key: live } = await api.key();
  const { key: sandbox } = await api.key({ kind: 'sandbox' });
  for (const route of routes.filter(({ keyKind }) => keyKind === 'administrator')) {
    const path = route.path.replace(/:\w+/g, () => newId());
    const json = route.method === 'GET' ? {} : { json: {} };
    const expectCode = async (what: string, code: string, options: RequestOptions, target = path): Promise<void> => {
      const answer: Answer = await api.request(route.method, target, { ...json, ...options });
      const name = `${route.method} ${route.path}: ${what}`;
      if (answer.body?.error_code !== code) problems.push(`${name} answered ${answer.status} ${answer.text}`);
      problems.push(...envelopeProblems(answer, api).map((problem) => `${name}: ${problem}`));
    };
    await expectCode('no token', 'INVALID_API_KEY', {});
    await expectCode('a live key', 'INSUFFICIENT_PERMISSIONS', { key: live });
    await expectCode('a sandbox key', 'INSUFFICIENT_PERMISSIONS', { key: sandbox });
    for (const other of others) await expectCode('another token', 'ADMIN_UNAUTHORIZED', { key: other });
    await expectCode('an unknown query', 'VALIDATION_ERROR', { key: token }, `${path}?no_such_field=1`);
    if (route.method !== 'GET') {
      await expectCode('an unknown body', 'VALIDATION_ERROR', { key: token, json: { no_such_field: 1 } });
    }
  }
  return problems;
}
