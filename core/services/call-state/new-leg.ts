import type { LegRow } from '../../data/rows.js';
import type { LegRole } from '../../model/call/call.js';
import { newId } from '../../model/ids.js';

/** Returns the row of a new leg. */
export function newLeg(
  callId: string,
  role: LegRole,
  route: { readonly endpoint: object; readonly number: string | null; readonly billable: boolean },
  at: Date,
  id = newId(),
): LegRow {
  return {
    id,
    call_id: callId,
    role,
    endpoint: route.endpoint,
    number: route.number,
    billable: route.billable,
    status: 'created',
    on_hold: false,
    holds: null,
    muted: false,
    created_at: at,
    ringing_at: null,
    answered_at: null,
    ended_at: null,
    hangup_q850: null,
    hangup_sip_code: null,
    hangup_text: null,
    quality: null,
  };
}
