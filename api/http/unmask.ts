import type { NumberScope } from '../../core/data/repositories/calls/calls.js';
import { UNMASKING_SCOPE } from '../../core/model/access/scopes.js';
import type { Caller } from '../../core/services/access/caller.js';
import { auditUnmasking } from './audit.js';
import { scopeOf } from './caller.js';
import type { ApiDeps } from './deps.js';
import type { Exchange } from './exchange.js';
import { isJson, type Reply } from './reply.js';

/** Whether the key may see customers' full numbers. */
export function seesNumbers(caller: Pick<Caller, 'scopes'>): boolean {
  return caller.scopes.has(UNMASKING_SCOPE);
}

/** The calls whose customers' numbers the key may see. */
export function numberScopeOf(caller: Caller): NumberScope {
  return { ...scopeOf({ caller }), organizationId: caller.organizationId };
}

/**
 * Adds customers' full numbers to a JSON answer if the key may see them, and audits it. The answer kept for an
 * idempotency key has none, so a repeat gets them here, too.
 * @throws DatabaseUnavailable from a request that changes nothing. Any other is done already, and its answer stays
 * masked.
 */
export async function unmask(deps: ApiDeps, exchange: Exchange, caller: Caller | null, reply: Reply): Promise<Reply> {
  if (caller === null || !seesNumbers(caller) || !isJson(reply) || reply.status >= 400) return reply;
  try {
    const body = await deps.customerNumbers.addTo(reply.body, numberScopeOf(caller));
    if (body === null) return reply;
    await auditUnmasking(deps.audit, exchange, reply.status);
    return { ...reply, body };
  } catch (error) {
    if (exchange.route?.method === 'GET') throw error;
    deps.logger.warn({ err: error, request_id: exchange.requestId }, 'an answer stays masked');
    return reply;
  }
}
