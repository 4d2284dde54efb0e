/**
 * The statuses of a call and of its legs.
 *
 * A call has one status, which always describes the customer's side; its legs have their own. Both
 * state machines are tables: a transition that is not in the table is illegal, and a status without
 * transitions is final.
 */

export const CALL_STATUSES = [
  'initiated',
  'ringing',
  'answered',
  'ended',
  'missed',
  'failed',
  'cancelled',
  'timeout',
] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

export const CALL_KINDS = ['outbound', 'callback', 'inbound', 'web'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

export const CALL_DIRECTIONS = ['outbound', 'inbound'] as const;
export type CallDirection = (typeof CALL_DIRECTIONS)[number];

/** Why a call ended, in one word for reports. */
export const DISPOSITIONS = [
  'answered',
  'no_answer',
  'busy',
  'rejected',
  'invalid_number',
  'congestion',
  'cancelled',
  'queue_timeout',
  'queue_abandoned',
  'failed',
] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

/** The parties of a call, as the API shows them. */
export const LEG_ROLES = ['customer', 'agent', 'transfer'] as const;
/** The role of a party in a call. */
export type PartyRole = (typeof LEG_ROLES)[number];
/** A supervisor listens to the call but is not a party to it. */
export type LegRole = PartyRole | 'supervisor';

export const LEG_STATUSES = ['created', 'ringing', 'answered', 'ended'] as const;
export type LegStatus = (typeof LEG_STATUSES)[number];

/**
 * The legal status transitions of a call.
 *
 * - `missed`: rejected, busy, or no answer.
 * - `timeout`: given up before the other side rang at all.
 * - `failed`: a fault of the engine, the carrier or the number.
 * - `cancelled`: stopped through the API before the answer.
 */
export const CALL_MOVES: Readonly<Record<CallStatus, readonly CallStatus[]>> = {
  initiated: ['ringing', 'answered', 'missed', 'failed', 'cancelled', 'timeout'],
  ringing: ['answered', 'missed', 'failed', 'cancelled', 'timeout'],
  answered: ['ended'],
  ended: [],
  missed: [],
  failed: [],
  cancelled: [],
  timeout: [],
};

/** The legal status transitions of a leg. */
export const LEG_MOVES: Readonly<Record<LegStatus, readonly LegStatus[]>> = {
  created: ['ringing', 'answered', 'ended'],
  ringing: ['answered', 'ended'],
  answered: ['ended'],
  ended: [],
};

/**
 * Whether a call may change from one status to the other. Keeping the same status is not a
 * transition.
 */
export function canMove(from: CallStatus, to: CallStatus): boolean {
  return CALL_MOVES[from].includes(to);
}

/** Whether a call in this status is over; a final status never changes. */
export function isFinal(status: CallStatus): boolean {
  return CALL_MOVES[status].length === 0;
}

/** Whether a leg may change from one status to the other. */
export function canMoveLeg(from: LegStatus, to: LegStatus): boolean {
  return LEG_MOVES[from].includes(to);
}

/** The final statuses of a call. */
export const FINAL_CALL_STATUSES: readonly CallStatus[] = CALL_STATUSES.filter(isFinal);
