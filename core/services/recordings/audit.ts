import type { AuditRow, RecordingRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';

/** The audit row of an action on a recording that did not come through the API. */
export function auditRow(
  row: RecordingRow,
  at: Date,
  action: Pick<AuditRow, 'method' | 'route' | 'status'>,
  details: Readonly<Record<string, unknown>> = {},
): AuditRow {
  return {
    id: newId(),
    organization_id: row.organization_id,
    project_id: row.project_id,
    key_id: null,
    user_id: null,
    administrator_id: null,
    actor: null,
    request_id: newId(),
    path:
      row.conference_id === null
        ? `/v1/calls/${row.call_id}/recording`
        : `/v1/conferences/${row.conference_id}/recording`,
    error_code: null,
    ip: '',
    details: { recording_id: row.id, ...details },
    created_at: at,
    ...action,
  };
}
