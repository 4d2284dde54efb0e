import type { NumberObject } from '../../model/objects/number.js';
import type { NumberRow } from '../../data/rows.js';
import { isoTime } from '../../model/time.js';

export function presentNumber(row: NumberRow): Omit<NumberObject, 'status'> & { readonly status: NumberRow['state'] } {
  const { id, e164, kind: type, state: status, source, label, binding } = row;
  return {
    id,
    e164,
    type,
    status,
    source,
    label,
    binding,
    assigned_at: row.assigned_at === null ? null : isoTime(row.assigned_at),
    created_at: isoTime(row.created_at),
  };
}
