import type { AuditEntry, AuditLog } from '../../core/services/access/audit.js';
import type { Exchange } from './exchange.js';

/** Records every request that changes something, accepted or refused, unless it is recorded already or rate-limited. */
export function audit(log: AuditLog, exchange: Exchange, status: number): void {
  const { route, method, isAudited } = exchange;
  if (route === null || route.method === 'GET' || method === 'OPTIONS' || status === 429 || isAudited) return;
  log.record(entryOf(exchange, status));
}

/**
 * Records that the answer shows customers' full numbers: once for a request, before anything is shown.
 * @throws DatabaseUnavailable: then nothing may be shown
 */
export async function auditUnmasking(log: AuditLog, exchange: Exchange, status: number): Promise<void> {
  if (exchange.isAudited) return;
  const entry = entryOf(exchange, status);
  await log.store({ ...entry, details: { ...entry.details, unmasked: true } });
  exchange.isAudited = true;
}

function entryOf(
  { route, requester, requestId, method, path, ip, errorCode, details }: Exchange,
  status: number,
): AuditEntry {
  return {
    organization_id: requester?.organizationId ?? null,
    project_id: requester?.projectId ?? null,
    key_id: requester?.id ?? null,
    user_id: null,
    administrator_id: null,
    actor: null,
    request_id: requestId,
    method,
    path,
    route: route?.path ?? path,
    status,
    error_code: errorCode,
    ip,
    details,
  };
}
