import type { CallRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { newCallRow } from '../../../core/services/call-state/new-call-row.js';
import type { ProgramSpec } from '../../../core/services/call-state/program.js';

/** The row of a call that has just been placed. */
export function callRow(patch: Partial<CallRow> = {}, spec: ProgramSpec = { type: 'idle' }): CallRow {
  const row = newCallRow({
    id: newId(),
    organization_id: newId(),
    project_id: newId(),
    engine_id: newId(),
    kind: 'outbound',
    direction: 'outbound',
    customer_number: '+966501234517',
    line_number: '+966115550100',
    caller_id_number: '+966115550100',
    caller_id_name: null,
    program: spec,
    created_at: new Date('2026-11-01T09:00:00.000Z'),
  });
  return { ...row, epoch: 1, ...patch };
}
