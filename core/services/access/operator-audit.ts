import type { AuditRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';

/**
 * How an operator asks for something that is audited where it happens: by a command on the machine, which leaves no other
 * trace, or by a request, whose own row of the audit log names the administrator.
 */
export type AskedBy = 'command' | 'request';

/**
 * The audit row of an operator's command. @param organizationId whose thing it changes; null: the installation's. @param
 * path the thing in the API. @param command such as `hatif invoice credit`
 */
export function operatorAudit(
  organizationId: string | null,
  path: string,
  command: string,
  details: Readonly<Record<string, unknown>>,
  at: Date,
): AuditRow {
  return {
    id: newId(),
    organization_id: organizationId,
    project_id: null,
    key_id: null,
    user_id: null,
    administrator_id: null,
    actor: null,
    request_id: newId(),
    method: 'CLI',
    path,
    route: command,
    status: 200,
    error_code: null,
    ip: '',
    details,
    created_at: at,
  };
}
