import type { CallRow } from '../../data/rows.js';
import type { CallStatus, Disposition } from '../../model/call/call.js';
import { maskNumber } from '../../model/access/masking.js';
import { isoTime } from '../../model/time.js';
import { durationSeconds } from '../call-state/presenting/call.js';

/** A callback as lists show it (spec 2.10). */
export interface CallbackSummary {
  readonly callback_id: string;
  readonly status: CallStatus;
  readonly customer_number_masked: string;
  readonly queue_id: string | null;
  readonly created_at: string;
  readonly answered_at: string | null;
  readonly ended_at: string | null;
  readonly duration_seconds: number | null;
  readonly disposition: Disposition | null;
}

/** A single callback: also what links it to its call. */
export interface CallbackObject extends CallbackSummary {
  readonly call_id: string;
  readonly sandbox: boolean;
  readonly line_number: string | null;
  readonly agent: string | null;
  readonly ringing_at: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The API's answer to a new callback. */
export type PlacedCallback = Pick<
  CallbackObject,
  'callback_id' | 'call_id' | 'status' | 'sandbox' | 'queue_id' | 'created_at'
>;

export function summarizeCallback(call: CallRow): CallbackSummary {
  return {
    callback_id: call.id,
    status: call.status,
    customer_number_masked: maskNumber(call.customer_number),
    queue_id: call.queue_id,
    created_at: isoTime(call.created_at),
    answered_at: isoTime(call.answered_at),
    ended_at: isoTime(call.ended_at),
    duration_seconds: durationSeconds(call),
    disposition: call.disposition,
  };
}

export function presentCallback(call: CallRow): CallbackObject {
  return {
    ...summarizeCallback(call),
    call_id: call.id,
    sandbox: call.sandbox,
    line_number: call.line_number,
    agent: call.agent,
    ringing_at: isoTime(call.ringing_at),
    metadata: call.metadata,
  };
}

export function presentPlaced(call: CallRow): PlacedCallback {
  const { callback_id, call_id, status, sandbox, queue_id, created_at } = presentCallback(call);
  return { callback_id, call_id, status, sandbox, queue_id, created_at };
}
