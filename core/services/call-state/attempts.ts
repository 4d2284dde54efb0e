import type { LegRow } from '../../data/rows.js';
import { Q850, type HangupCause } from '../../model/call/hangup-cause.js';
import type { LegEndpoint } from '../../ports/engine.js';

/** SIP 408 Request Timeout. */
const REQUEST_TIMEOUT = 408;
/** The causes of an engine that got no response at all: the carrier's host is gone, or its address has none. */
const NO_RESPONSE: ReadonlySet<number> = new Set([
  Q850.DESTINATION_OUT_OF_ORDER,
  Q850.NETWORK_OUT_OF_ORDER,
  Q850.RECOVERY_ON_TIMER_EXPIRY,
]);

type TrunkEndpoint = Extract<LegEndpoint, { type: 'trunk' }>;

/** The carrier's end of a leg; null for any other leg, such as one to a softphone at another engine. */
export function carrierOf({ endpoint }: Pick<LegRow, 'endpoint'>): TrunkEndpoint | null {
  const to = endpoint as LegEndpoint;
  return to.type === 'trunk' && to.aor === undefined && 'number' in to ? to : null;
}

/**
 * Whether the carrier is at fault for the end of a leg that never rang: it answered 5xx or 408, or nothing. Every other
 * response is about the called party, and another carrier would get the same.
 */
export function isCarrierFault({ q850, sipCode }: HangupCause): boolean {
  if (sipCode === null) return NO_RESPONSE.has(q850);
  return sipCode === REQUEST_TIMEOUT || (sipCode >= 500 && sipCode < 600);
}

/** The trunks that were tried for a leg: its own, and those of the legs that it took the place of. */
export function triedTrunks(legs: readonly LegRow[], leg: LegRow): ReadonlySet<string> {
  const tried = new Set<string>();
  for (let at: LegRow | undefined = leg; at;) {
    const carrier = carrierOf(at);
    if (carrier) tried.add(carrier.trunkId);
    at = legs.find(({ id }) => id === carrier?.after);
  }
  return tried;
}

/** The legs without those whose place another took: that no carrier carried, or whose browser came back. */
export function withoutReplaced<Leg extends Pick<LegRow, 'id' | 'endpoint'>>(legs: readonly Leg[]): readonly Leg[] {
  const replaced = new Set(legs.flatMap(({ endpoint }) => (endpoint as { readonly after?: string }).after ?? []));
  return replaced.size === 0 ? legs : legs.filter(({ id }) => !replaced.has(id));
}
