import { Q850 } from '../../core/model/call/hangup-cause.js';

/**
 * What Asterisk is asked to end a leg with. chan_pjsip knows no SIP status for "temporary failure" and answers 603, with which a carrier
 * gives a call up; RFC 3398 wants 503, as for "switch congestion".
 */
export function causeToRequest(q850: number): number {
  return q850 === Q850.TEMPORARY_FAILURE ? Q850.SWITCH_CONGESTION : q850;
}

/** The cause of an end as Asterisk tells it, where a command may have asked for it. */
export function causeOfRequestedHangup(told: number, requested: number | null): number {
  return requested !== null && causeToRequest(requested) === told ? requested : told;
}
