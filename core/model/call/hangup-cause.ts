import type { CallStatus, Disposition } from './call.js';

/**
 * Why a leg was cleared. `sipCode` is null if the cause comes from a BYE or CANCEL instead of a SIP
 * response.
 */
export interface HangupCause {
  readonly q850: number;
  readonly sipCode: number | null;
  readonly text: string;
}

/** How a call that was never answered ended. */
export interface UnansweredOutcome {
  readonly status: Extract<CallStatus, 'missed' | 'failed'>;
  readonly disposition: Disposition;
}

/** The causes that Hatif itself sends or checks, by their ITU-T Q.850 names. */
export const Q850 = {
  UNALLOCATED_NUMBER: 1,
  NO_ROUTE_DESTINATION: 3,
  NORMAL_CLEARING: 16,
  USER_BUSY: 17,
  NO_USER_RESPONDING: 18,
  NO_ANSWER: 19,
  SUBSCRIBER_ABSENT: 20,
  CALL_REJECTED: 21,
  EXCHANGE_ROUTING_ERROR: 25,
  DESTINATION_OUT_OF_ORDER: 27,
  INVALID_NUMBER_FORMAT: 28,
  NORMAL_UNSPECIFIED: 31,
  NO_CIRCUIT_AVAILABLE: 34,
  NETWORK_OUT_OF_ORDER: 38,
  TEMPORARY_FAILURE: 41,
  SWITCH_CONGESTION: 42,
  RECOVERY_ON_TIMER_EXPIRY: 102,
  INTERWORKING: 127,
} as const;

interface CauseRow {
  readonly name: string;
  readonly sip: number | null;
  readonly text: string;
  readonly outcome: UnansweredOutcome;
}

const noAnswer: UnansweredOutcome = { status: 'missed', disposition: 'no_answer' };
const busy: UnansweredOutcome = { status: 'missed', disposition: 'busy' };
const rejected: UnansweredOutcome = { status: 'missed', disposition: 'rejected' };
const invalidNumber: UnansweredOutcome = { status: 'failed', disposition: 'invalid_number' };
const congestion: UnansweredOutcome = { status: 'failed', disposition: 'congestion' };
const failed: UnansweredOutcome = { status: 'failed', disposition: 'failed' };

function row(name: string, sip: number | null, text: string, outcome: UnansweredOutcome): CauseRow {
  return { name, sip, text, outcome };
}

/** RFC 3398 §7.2.4.1: a cause missing from its table maps to 500. */
const UNLISTED_SIP = 500;

/**
 * ITU-T Q.850 (05/2018) table 1, one row per cause. The SIP column is RFC 3398 §7.2.4.1; cause 16
 * has none because it corresponds to BYE or CANCEL. The last column is the outcome of a call that
 * nobody answered.
 */
const CAUSES: Readonly<Record<number, CauseRow>> = {
  1: row('UNALLOCATED_NUMBER', 404, 'Unallocated (unassigned) number', invalidNumber),
  2: row('NO_ROUTE_TRANSIT_NET', 404, 'No route to specified transit network', failed),
  3: row('NO_ROUTE_DESTINATION', 404, 'No route to destination', failed),
  4: row('SEND_SPECIAL_TONE', UNLISTED_SIP, 'Send special information tone', failed),
  5: row('MISDIALLED_TRUNK_PREFIX', UNLISTED_SIP, 'Misdialled trunk prefix', invalidNumber),
  6: row('CHANNEL_UNACCEPTABLE', UNLISTED_SIP, 'Channel unacceptable', failed),
  7: row('CALL_AWARDED_DELIVERED', UNLISTED_SIP, 'Call awarded and being delivered in an established channel', failed),
  8: row('PREEMPTION', UNLISTED_SIP, 'Preemption', congestion),
  9: row('PREEMPTION_RESERVED', UNLISTED_SIP, 'Preemption, circuit reserved for reuse', congestion),
  14: row('PORTED_NUMBER', UNLISTED_SIP, 'Ported number', failed),
  16: row('NORMAL_CLEARING', null, 'Normal call clearing', noAnswer),
  17: row('USER_BUSY', 486, 'User busy', busy),
  18: row('NO_USER_RESPONDING', 408, 'No user responding', noAnswer),
  19: row('NO_ANSWER', 480, 'No answer from user (user alerted)', noAnswer),
  20: row('SUBSCRIBER_ABSENT', 480, 'Subscriber absent', noAnswer),
  21: row('CALL_REJECTED', 403, 'Call rejected', rejected),
  22: row('NUMBER_CHANGED', 410, 'Number changed', invalidNumber),
  23: row('REDIRECTION', 410, 'Redirection to new destination', failed),
  24: row('REJECTED_BY_FEATURE', UNLISTED_SIP, 'Call rejected due to feature at the destination', rejected),
  25: row('EXCHANGE_ROUTING_ERROR', UNLISTED_SIP, 'Exchange routing error', failed),
  26: row('NON_SELECTED_USER_CLEARING', 404, 'Non-selected user clearing', noAnswer),
  27: row('DESTINATION_OUT_OF_ORDER', 502, 'Destination out of order', failed),
  28: row('INVALID_NUMBER_FORMAT', 484, 'Invalid number format (address incomplete)', invalidNumber),
  29: row('FACILITY_REJECTED', 501, 'Facility rejected', failed),
  30: row('RESPONSE_TO_STATUS_ENQUIRY', UNLISTED_SIP, 'Response to STATUS ENQUIRY', failed),
  31: row('NORMAL_UNSPECIFIED', 480, 'Normal, unspecified', noAnswer),
  34: row('NO_CIRCUIT_AVAILABLE', 503, 'No circuit or channel available', congestion),
  38: row('NETWORK_OUT_OF_ORDER', 503, 'Network out of order', congestion),
  39: row('FRAME_MODE_OUT_OF_SERVICE', UNLISTED_SIP, 'Permanent frame mode connection out of service', failed),
  40: row('FRAME_MODE_OPERATIONAL', UNLISTED_SIP, 'Permanent frame mode connection operational', failed),
  41: row('TEMPORARY_FAILURE', 503, 'Temporary failure', congestion),
  42: row('SWITCH_CONGESTION', 503, 'Switching equipment congestion', congestion),
  43: row('ACCESS_INFO_DISCARDED', UNLISTED_SIP, 'Access information discarded', failed),
  44: row('CHANNEL_NOT_AVAILABLE', UNLISTED_SIP, 'Requested circuit or channel not available', congestion),
  46: row('PRECEDENCE_CALL_BLOCKED', UNLISTED_SIP, 'Precedence call blocked', congestion),
  47: row('RESOURCE_UNAVAILABLE', 503, 'Resource unavailable, unspecified', congestion),
  49: row('QOS_UNAVAILABLE', UNLISTED_SIP, 'Quality of service not available', congestion),
  50: row('FACILITY_NOT_SUBSCRIBED', UNLISTED_SIP, 'Requested facility not subscribed', failed),
  53: row('OUTGOING_BARRED_IN_CUG', UNLISTED_SIP, 'Outgoing calls barred within closed user group', failed),
  55: row('INCOMING_BARRED_IN_CUG', 403, 'Incoming calls barred within closed user group', failed),
  57: row('BEARER_NOT_AUTHORIZED', 403, 'Bearer capability not authorized', failed),
  58: row('BEARER_NOT_AVAILABLE', 503, 'Bearer capability not presently available', congestion),
  62: row('INCONSISTENT_ACCESS_CLASS', UNLISTED_SIP, 'Inconsistent outgoing access information and class', failed),
  63: row('SERVICE_UNAVAILABLE', UNLISTED_SIP, 'Service or option not available, unspecified', failed),
  65: row('BEARER_NOT_IMPLEMENTED', 488, 'Bearer capability not implemented', failed),
  66: row('CHANNEL_TYPE_NOT_IMPLEMENTED', UNLISTED_SIP, 'Channel type not implemented', failed),
  69: row('FACILITY_NOT_IMPLEMENTED', UNLISTED_SIP, 'Requested facility not implemented', failed),
  70: row('RESTRICTED_DIGITAL_ONLY', 488, 'Only restricted digital information bearer capability available', failed),
  79: row('SERVICE_NOT_IMPLEMENTED', 501, 'Service or option not implemented, unspecified', failed),
  81: row('INVALID_CALL_REFERENCE', UNLISTED_SIP, 'Invalid call reference value', failed),
  82: row('CHANNEL_DOES_NOT_EXIST', UNLISTED_SIP, 'Identified channel does not exist', failed),
  83: row('WRONG_SUSPENDED_IDENTITY', UNLISTED_SIP, 'Suspended call exists, but not this call identity', failed),
  84: row('CALL_IDENTITY_IN_USE', UNLISTED_SIP, 'Call identity in use', failed),
  85: row('NO_CALL_SUSPENDED', UNLISTED_SIP, 'No call suspended', failed),
  86: row('SUSPENDED_CALL_CLEARED', UNLISTED_SIP, 'Call with the requested identity has been cleared', failed),
  87: row('USER_NOT_IN_CUG', 403, 'User not member of closed user group', failed),
  88: row('INCOMPATIBLE_DESTINATION', 503, 'Incompatible destination', failed),
  90: row('CUG_DOES_NOT_EXIST', UNLISTED_SIP, 'Non-existent closed user group', failed),
  91: row('INVALID_TRANSIT_NETWORK', UNLISTED_SIP, 'Invalid transit network selection', failed),
  95: row('INVALID_MESSAGE', UNLISTED_SIP, 'Invalid message, unspecified', failed),
  96: row('MANDATORY_IE_MISSING', UNLISTED_SIP, 'Mandatory information element is missing', failed),
  97: row('MESSAGE_TYPE_UNKNOWN', UNLISTED_SIP, 'Message type non-existent or not implemented', failed),
  98: row('WRONG_MESSAGE', UNLISTED_SIP, 'Message not compatible with call state or type unknown', failed),
  99: row('IE_UNKNOWN', UNLISTED_SIP, 'Information element or parameter unknown', failed),
  100: row('INVALID_IE_CONTENTS', UNLISTED_SIP, 'Invalid information element contents', failed),
  101: row('WRONG_CALL_STATE', UNLISTED_SIP, 'Message not compatible with call state', failed),
  102: row('RECOVERY_ON_TIMER_EXPIRY', 504, 'Recovery on timer expiry', failed),
  103: row('PARAMETER_PASSED_ON', UNLISTED_SIP, 'Parameter unknown, passed on', failed),
  110: row('MESSAGE_DISCARDED', UNLISTED_SIP, 'Message with unrecognized parameter, discarded', failed),
  111: row('PROTOCOL_ERROR', 500, 'Protocol error, unspecified', failed),
  127: row('INTERWORKING', 500, 'Interworking, unspecified', failed),
};

/**
 * RFC 3398 §8.2.6.1. That table has no cause for 487, the response to our own CANCEL, so it maps to
 * normal clearing. For 488 and 606 it refers to the Warning header; both map to the closest class
 * here, bearer capability not implemented.
 */
const Q850_OF_SIP: Readonly<Record<number, number>> = {
  400: 41,
  401: 21,
  402: 21,
  403: 21,
  404: 1,
  405: 63,
  406: 79,
  407: 21,
  408: 102,
  410: 22,
  413: 127,
  414: 127,
  415: 79,
  416: 127,
  420: 127,
  421: 127,
  423: 127,
  480: 18,
  481: 41,
  482: 25,
  483: 25,
  484: 28,
  485: 1,
  486: 17,
  487: 16,
  488: 65,
  500: 41,
  501: 79,
  502: 38,
  503: 41,
  504: 102,
  505: 127,
  513: 127,
  600: 17,
  603: 21,
  604: 1,
  606: 65,
};

/** The Q.850 causes in the table, in order. */
export const Q850_CAUSES: readonly number[] = Object.keys(CAUSES).map(Number);

/** The cause's symbolic name (`USER_BUSY`), or null for a number that Q.850 does not assign. */
export function causeName(q850: number): string | null {
  return CAUSES[q850]?.name ?? null;
}

/** The SIP response of a cause (RFC 3398 §7.2.4.1), 500 for an unknown one, null for normal clearing. */
export function sipFromQ850(q850: number): number | null {
  const cause = CAUSES[q850];
  return cause === undefined ? UNLISTED_SIP : cause.sip;
}

/**
 * The Q.850 cause of a final SIP response (RFC 3398 §8.2.6.1). A response outside the table counts
 * as its class's `x00` (RFC 3261 §8.1.3.2); a success maps to normal clearing, a redirect to
 * redirection.
 */
export function q850FromSip(sipCode: number): number {
  if (sipCode < 300) return 16;
  if (sipCode < 400) return 23;
  return Q850_OF_SIP[sipCode] ?? Q850_OF_SIP[Math.floor(sipCode / 100) * 100] ?? 127;
}

/** The outcome that a cause gives an unanswered call; an unknown cause is a failure. */
export function outcomeOfUnanswered(q850: number): UnansweredOutcome {
  return CAUSES[q850]?.outcome ?? failed;
}

/**
 * The complete cause of a leg. A SIP code that was really received wins over the one derived from
 * Q.850.
 */
export function hangupCause(q850: number, sipCode?: number | null): HangupCause {
  const text = CAUSES[q850]?.text ?? `Unknown cause ${q850}`;
  return { q850, sipCode: sipCode ?? sipFromQ850(q850), text };
}
