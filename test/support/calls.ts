import type { CallRow, LegRow } from '../../core/data/rows.js';
import { newId } from '../../core/model/ids.js';
import type { ProgramSpec } from '../../core/services/calls/program.js';

/** A call's row as it is when the call was just placed. */
export function callRow(patch: Partial<CallRow> = {}, spec: ProgramSpec = { type: 'idle' }): CallRow {
  return {
    id: newId(),
    organization_id: newId(),
    project_id: newId(),
    engine_id: newId(),
    epoch: 1,
    sandbox: false,
    kind: 'outbound',
    direction: 'outbound',
    status: 'initiated',
    customer_number: '+966501234517',
    line_number: '+966115550100',
    caller_id_number: '+966115550100',
    caller_id_name: null,
    queue_id: null,
    served_queue_id: null,
    agent: null,
    callflow_id: null,
    conference_id: null,
    on_hold: false,
    muted: false,
    recording: false,
    recording_available: false,
    disposition: null,
    hangup_q850: null,
    hangup_sip_code: null,
    hangup_text: null,
    queued_seconds: null,
    metadata: {},
    webhook_url: null,
    program: { spec, state: null },
    options: { ring_timeout_seconds: 45, max_duration_seconds: 14_400, record: false, send_digits: null },
    last_sequence: 0,
    created_by_key: null,
    request_id: null,
    created_at: new Date('2026-11-01T09:00:00.000Z'),
    originating_at: null,
    ringing_at: null,
    answered_at: null,
    ended_at: null,
    ...patch,
  };
}

export function legRow(callId: string, patch: Partial<LegRow> = {}): LegRow {
  return {
    id: newId(),
    call_id: callId,
    role: 'customer',
    endpoint: { type: 'trunk', trunkId: newId(), number: '+966501234517' },
    number: '+966501234517',
    billable: true,
    status: 'created',
    on_hold: false,
    muted: false,
    created_at: new Date('2026-11-01T09:00:00.000Z'),
    ringing_at: null,
    answered_at: null,
    ended_at: null,
    hangup_q850: null,
    hangup_sip_code: null,
    hangup_text: null,
    ...patch,
  };
}
