import type { NumberScope } from '../../core/data/repositories/calls/calls.js';
import { UNMASKING_SCOPE } from '../../core/model/access/scopes.js';
import type { AuthenticatedKey } from '../../core/services/access/authenticated-key.js';
import { auditUnmasking } from './audit.js';
import { scopeOf } from './caller.js';
import type { ApiDeps } from './deps.js';
import type { Exchange } from './exchange.js';
import { isJson, type Reply } from './reply.js';

/** Whether the key may see customers' full numbers. */
export function seesNumbers(key: Pick<AuthenticatedKey, 'scopes'>): boolean {
  return key.scopes.has(UNMASKING_SCOPE);
}

/** The calls whose customers' numbers the key may see. */
export function numberScopeOf(key: AuthenticatedKey): NumberScope {
  return { ...scopeOf({ key }), organizationId: key.organizationId };
}

/**
 * Adds customers' full numbers to a JSON answer if the key may see them, and audits it. The answer kept for an
 * idempotency key has none, so a repeat gets them here, too.
 * @throws DatabaseUnavailable from a request that changes nothing. Any other is done already, and its answer stays
 * masked.
 */
export async function unmask(
  deps: ApiDeps,
  exchange: Exchange,
  key: AuthenticatedKey | null,
  reply: Reply,
): Promise<Reply> {
  if (key === null || !seesNumbers(key) || !isJson(reply) || reply.status >= 400) return reply;
  try {
    const body = await deps.customerNumbers.addTo(reply.body, numberScopeOf(key));
    if (body === null) return reply;
    await auditUnmasking(deps.audit, exchange, reply.status);
    return { ...reply, body };
  } catch (error) {
    if (exchange.route?.method === 'GET') throw error;
    deps.logger.warn({ err: error, request_id: exchange.requestId }, 'an answer stays masked');
    return reply;
  }
}
