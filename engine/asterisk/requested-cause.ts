import { Q850 } from '../../core/model/call/hangup-cause.js';

/**
 * Maps the requested cause to the one to send to Asterisk. chan_pjsip has no SIP status for "temporary failure" and
 * responds 603, after which a carrier does not retry; RFC 3398 wants 503, as for "switch congestion".
 */
export function causeToRequest(q850: number): number {
  return q850 === Q850.TEMPORARY_FAILURE ? Q850.SWITCH_CONGESTION : q850;
}

/** Reverses {@link causeToRequest}: returns the requested cause if Asterisk reports the one it was mapped to. */
export function causeOfRequestedHangup(reported: number, requested: number | null): number {
  return requested !== null && causeToRequest(requested) === reported ? requested : reported;
}
