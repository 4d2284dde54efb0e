import type { AuditEntry, AuditLog } from '../../core/services/access/audit.js';
import type { Exchange } from './exchange.js';
import type { AuditNote } from './route.js';

/**
 * Records every request that changes something or shows a secret, accepted or refused, and everything that an
 * administrator does as a user, unless it is recorded already or rate-limited.
 */
export function audit(log: AuditLog, exchange: Exchange, status: number): void {
  const { route, method, requester, isAudited } = exchange;
  const isImpersonated = requester.userId !== null && requester.administratorId !== null;
  if (route === null || method === 'OPTIONS' || status === 429 || isAudited) return;
  if (route.method === 'GET' && !route.isAudited && !isImpersonated) return;
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

/** Adds what a handler knows to the audit row. */
export function noteAudit(exchange: Exchange, note: AuditNote): void {
  const { user, administrator } = note;
  const { requester } = exchange;
  exchange.requester = {
    ...requester,
    ...(user && { userId: user.id, actor: user.email, organizationId: user.organizationId }),
    ...(administrator && { administratorId: administrator.id, actor: administrator.email }),
    ...(note.organizationId !== undefined && { organizationId: note.organizationId }),
    ...(note.projectId !== undefined && { projectId: note.projectId }),
  };
  Object.assign(exchange.details, note.details);
}

function entryOf(
  { route, requester, requestId, method, path, ip, errorCode, details }: Exchange,
  status: number,
): AuditEntry {
  return {
    organization_id: requester.organizationId,
    project_id: requester.projectId,
    key_id: requester.keyId,
    user_id: requester.userId,
    administrator_id: requester.administratorId,
    actor: requester.actor,
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
