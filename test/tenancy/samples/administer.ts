import type { Members, Tenant } from '../tenant.js';

let count = 0;

/** A name that no other engine, trunk, plan or person has. */
export const uniqueName = (what: string): string => `${what}-${++count}`;

/** Sends a request as the administrator, which must succeed. What it returns is no secret of the tenant. */
export async function administer(tenant: Tenant, method: string, path: string, json: unknown = {}): Promise<Members> {
  const answer = await tenant.request(method, `/v1/admin${path}`, { key: tenant.world.administrator, json });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body ?? {};
}
