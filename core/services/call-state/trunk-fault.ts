import { Q850, type HangupCause } from '../../model/call/hangup-cause.js';
import type { LegEndpoint } from '../../ports/engine.js';
import type { LegEvent } from '../../ports/engine-events.js';
import type { LegRow } from '../../data/rows.js';

/** SIP 408 Request Timeout, which engines also report for a request that nobody answered (RFC 3261 §17.1.1.2). */
const REQUEST_TIMEOUT = 408;
/** What an engine reports when it gave up by itself: "no user responding" and "no answer". */
const GAVE_UP: ReadonlySet<number> = new Set([18, 19]);

/** No phone rang, and the trunk is the reason: it says so in a call's `hangup_cause`. */
const TRUNK_IS_SILENT: Pick<HangupCause, 'q850' | 'text'> = {
  q850: Q850.DESTINATION_OUT_OF_ORDER,
  text: 'Destination out of order: the trunk did not answer',
};

/**
 * Names the trunk as the reason why a leg ended, if the called party never rang and the trunk did not answer in time:
 * it ended the call with 408, or the engine gave up on a trunk that does not answer probes either. Without this the
 * call would look as if the called party had not picked up.
 * @param isDown whether the trunk leaves probes unanswered
 */
export function withTrunkFault<Event extends LegEvent>(
  leg: LegRow | undefined,
  event: Event,
  isDown: (trunkId: string) => boolean,
): Event {
  if (event.type !== 'leg.ended' || leg?.ringing_at !== null || leg.answered_at !== null) return event;
  const endpoint = leg.endpoint as Partial<Extract<LegEndpoint, { type: 'trunk' }>>;
  // With an AOR, another engine of the installation rings a softphone.
  if (endpoint.type !== 'trunk' || endpoint.trunkId === undefined || endpoint.aor !== undefined) return event;
  const { q850, sipCode } = event.cause;
  const gaveUp = sipCode === null && GAVE_UP.has(q850) && isDown(endpoint.trunkId);
  if (sipCode !== REQUEST_TIMEOUT && !gaveUp) return event;
  return { ...event, cause: { ...TRUNK_IS_SILENT, sipCode } };
}
