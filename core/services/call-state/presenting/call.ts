import type { PartyRole } from '../../../model/call/call.js';
import { maskNumber } from '../../../model/access/masking.js';
import type { MediaQuality } from '../../../model/call/quality.js';
import type { CallObject } from '../../../model/objects/call.js';
import { isoTime } from '../../../model/time.js';
import type { ShownCall, ShownLeg } from '../../../data/repositories/calls/calls.js';
import type { CallRow } from '../../../data/rows.js';
import { withoutReplaced } from '../attempts.js';

/** Whole seconds from answer to end; null until both are known. */
export function durationSeconds(call: Pick<CallRow, 'answered_at' | 'ended_at'>): number | null {
  if (call.answered_at === null || call.ended_at === null) return null;
  return Math.max(0, Math.round((call.ended_at.getTime() - call.answered_at.getTime()) / 1000));
}

export function presentCall(call: ShownCall, legs: readonly ShownLeg[]): CallObject {
  return {
    call_id: call.id,
    kind: call.kind,
    direction: call.direction,
    status: call.status,
    customer_number_masked: maskNumber(call.customer_number),
    line_number: call.line_number,
    queue_id: call.queue_id,
    agent: call.agent,
    callflow_id: call.callflow_id,
    conference_id: call.conference_id,
    sandbox: call.sandbox,
    on_hold: call.on_hold,
    muted: call.muted,
    legs: withoutReplaced(legs).flatMap((leg) => (leg.role === 'supervisor' ? [] : presentLeg(leg, leg.role))),
    recording: call.recording,
    recording_available: call.recording_available,
    disposition: call.disposition,
    hangup_cause:
      call.hangup_q850 === null
        ? null
        : { q850: call.hangup_q850, sip_code: call.hangup_sip_code, text: call.hangup_text ?? '' },
    queued_seconds: call.queued_seconds,
    duration_seconds: durationSeconds(call),
    metadata: call.metadata,
    created_at: isoTime(call.created_at),
    ringing_at: isoTime(call.ringing_at),
    answered_at: isoTime(call.answered_at),
    ended_at: isoTime(call.ended_at),
    served_queue_id: call.served_queue_id,
  };
}

function presentLeg(leg: ShownLeg, role: PartyRole): CallObject['legs'][number] {
  return {
    leg: role,
    status: leg.status,
    on_hold: leg.on_hold,
    muted: leg.muted,
    quality: leg.quality && presentQuality(leg.quality),
  };
}

function presentQuality(quality: MediaQuality): NonNullable<CallObject['legs'][number]['quality']> {
  return {
    mos: quality.mos,
    packets_sent: quality.packetsSent,
    packets_received: quality.packetsReceived,
    packets_lost: quality.packetsLost,
    loss_share: quality.lossShare,
    jitter_ms: quality.jitterMs,
    round_trip_ms: quality.roundTripMs,
    codec: quality.codec,
  };
}
