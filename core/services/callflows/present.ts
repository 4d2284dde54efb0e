import type { BoundCallflow } from '../../data/repositories/calls/callflows.js';
import type { CallflowRow, CallflowVersionRow } from '../../data/rows.js';
import { isoTime } from '../../model/time.js';

export interface CallflowObject extends Pick<CallflowRow, 'id' | 'name' | 'kind' | 'version' | 'status' | 'sandbox'> {
  readonly definition: object;
  readonly bound_numbers: readonly string[];
  readonly created_at: string;
  readonly updated_at: string;
}

export interface CallflowVersionObject extends Pick<CallflowVersionRow, 'version' | 'name' | 'definition'> {
  readonly created_at: string;
}

export function presentCallflow(row: BoundCallflow, definition: object): CallflowObject {
  const { id, name, kind, version, status, sandbox, bound_numbers, created_at, updated_at } = row;
  return {
    id,
    name,
    kind,
    version,
    status,
    sandbox,
    definition,
    bound_numbers,
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  };
}

export function presentVersion({ version, name, definition, created_at }: CallflowVersionRow): CallflowVersionObject {
  return { version, name, definition, created_at: isoTime(created_at) };
}
