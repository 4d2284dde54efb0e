import { hangupCause, type HangupCause, Q850 } from '../../core/model/call/hangup-cause.js';
import type { EslEvent } from './esl/esl-connection.js';
import type { RegisteredLeg } from './leg-registry.js';

/** FreeSWITCH's own causes, numbered above those of Q.850 (switch_types.h). */
const OWN_CAUSES: Readonly<Record<string, number>> = {
  ORIGINATOR_CANCEL: Q850.NORMAL_CLEARING,
  LOSE_RACE: Q850.NORMAL_CLEARING,
  PICKED_OFF: Q850.NORMAL_CLEARING,
  BLIND_TRANSFER: Q850.NORMAL_CLEARING,
  ATTENDED_TRANSFER: Q850.NORMAL_CLEARING,
  ALLOTTED_TIMEOUT: Q850.NORMAL_CLEARING,
  MANAGER_REQUEST: Q850.NORMAL_CLEARING,
  PROGRESS_TIMEOUT: Q850.NO_ANSWER,
  USER_NOT_REGISTERED: Q850.SUBSCRIBER_ABSENT,
  // The cause that Asterisk reports for a phone that stopped sending audio.
  MEDIA_TIMEOUT: 44,
  UNWANTED: Q850.CALL_REJECTED,
  GATEWAY_DOWN: Q850.NETWORK_OUT_OF_ORDER,
  CRASH: Q850.TEMPORARY_FAILURE,
  SYSTEM_SHUTDOWN: Q850.TEMPORARY_FAILURE,
};

/** Asterisk's mapping of SIP responses (`ast_sip_hangup_sip2cause`): a call must end with the same cause on both engines. */
const Q850_OF_REFUSAL: Readonly<Record<number, number>> = {
  302: 23,
  401: 21,
  403: 21,
  404: 1,
  407: 21,
  408: 18,
  409: 41,
  410: 22,
  420: 3,
  480: 19,
  483: 19,
  484: 28,
  485: 1,
  486: 17,
  488: 58,
  500: 38,
  501: 29,
  502: 27,
  503: 34,
  504: 102,
  505: 127,
  600: 17,
  603: 21,
  604: 1,
  606: 58,
};
const NO_CIRCUIT_AVAILABLE = 34;
const CANCELLED = 487;
const UNAUTHORIZED = 401;

/** Builds a cause with its text; `sipCode` is set only if the remote side rejected with a status. */
export function causeOf(q850: number, sipCode: number | null): HangupCause {
  return { q850, sipCode, text: hangupCause(q850).text };
}

/** Returns why a leg ended, from CHANNEL_HANGUP_COMPLETE and the adapter's state of the leg. */
export function endOf(
  leg: Pick<RegisteredLeg, 'endedHere' | 'answered' | 'inbound' | 'requestedQ850'>,
  event: EslEvent,
): HangupCause {
  if (leg.requestedQ850 !== null) return causeOf(leg.requestedQ850, null);
  const refusal = leg.endedHere || leg.answered || leg.inbound ? null : refusalOf(event);
  return causeOf(refusal === null ? q850Of(event) : q850OfRefusal(refusal), refusal);
}

function q850OfRefusal(status: number): number {
  const ofServer = status >= 500 && status < 600;
  return Q850_OF_REFUSAL[status] ?? (ofServer ? NO_CIRCUIT_AVAILABLE : Q850.INTERWORKING);
}

/** Returns the SIP status with which the remote side rejected; null if this side gave up first. */
function refusalOf(event: EslEvent): number | null {
  const name = event['Hangup-Cause'] ?? '';
  // sofia's cause for a challenge that it cannot answer.
  if (name === 'MANDATORY_IE_MISSING') return UNAUTHORIZED;
  if (name === 'NO_ANSWER' && event.variable_sip_term_status === undefined) return null;
  const status = Number(/^sip:(\d{3})$/.exec(event.variable_proto_specific_hangup_cause ?? '')?.[1] ?? Number.NaN);
  return status >= 300 && status !== CANCELLED ? status : null;
}

function q850Of(event: EslEvent): number {
  const own = OWN_CAUSES[event['Hangup-Cause'] ?? ''];
  if (own !== undefined) return own;
  const number = Number(event.variable_hangup_cause_q850 ?? Number.NaN);
  return number > 0 && number <= Q850.INTERWORKING ? number : Q850.NORMAL_UNSPECIFIED;
}
