import type { CallRow, LegRecordingRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';

/** The row of a stored recording; there is no file. */
export function recordingRow(call: CallRow, changes: Partial<LegRecordingRow> = {}): LegRecordingRow {
  const id = newId();
  return {
    id,
    conference_id: null,
    call_id: call.id,
    leg_id: newId(),
    leg: 'customer',
    box_id: null,
    is_greeting: null,
    organization_id: call.organization_id,
    project_id: call.project_id,
    engine_id: call.engine_id,
    status: 'available',
    channels: 2,
    max_seconds: null,
    started_at: new Date(),
    ended_at: new Date(),
    duration_ms: 1500,
    bytes: 48_044,
    storage: 'local',
    storage_key: `${call.project_id}/${id}.wav`,
    legal_hold: false,
    deleted_at: null,
    ...changes,
  };
}
