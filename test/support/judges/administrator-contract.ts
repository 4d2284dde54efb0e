import type { Route } from '../../../api/http/route.js';
import type { Answer, RequestOptions, TestApi } from '../api.js';
import { refusalsOf } from './route-contract.js';

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
    const { path, expectCode: expectOf } = refusalsOf(api, route, problems);
    const json = route.method === 'GET' ? {} : { json: {} };
    const expectCode = (what: string, code: string, options: RequestOptions, target = path): Promise<Answer> =>
      expectOf(what, code, { ...json, ...options }, target);
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
