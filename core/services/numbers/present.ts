import type { NumberRow } from '../../data/rows.js';
import type { NumberSource, NumberState } from '../../model/number/states.js';
import type { OwnableKind } from '../../model/number/search.js';
import { isoTime } from '../../model/time.js';

/** A number as the API and events show it to its owner. */
export interface NumberObject {
  readonly id: string;
  readonly e164: string;
  readonly type: OwnableKind;
  readonly status: NumberState;
  readonly source: NumberSource;
  readonly label: string | null;
  readonly binding: { readonly type: string; readonly target: string | null } | null;
  readonly assigned_at: string | null;
  readonly created_at: string;
}

export function presentNumber(row: NumberRow): NumberObject {
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
