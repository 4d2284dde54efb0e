import type { EngineRow } from '../../data/rows.js';
import type { EngineKind } from '../../model/engine-kinds.js';

/** The properties of an engine that matter for placing a new call. */
export interface EngineOffer extends Pick<
  EngineRow,
  'id' | 'name' | 'kind' | 'status' | 'sip_status' | 'weight' | 'max_calls' | 'draining'
> {
  /** Whether a process owns it. */
  readonly leased: boolean;
  /** Number of its calls that have not ended. */
  readonly live_calls: number;
}

/**
 * Whether the engine can take a call now: its owner reaches it, it answers SIP, and it is neither draining nor full.
 */
export function takesCalls(engine: Omit<EngineOffer, 'id' | 'name' | 'kind' | 'weight'>): boolean {
  const { leased, status, sip_status, draining, max_calls, live_calls } = engine;
  const isReached = leased && status === 'up' && sip_status !== 'down';
  return isReached && !draining && (max_calls === null || live_calls < max_calls);
}

/**
 * Chooses the engine for a new call among those of the given kinds that can take one: the one with the lowest load
 * relative to its weight, if possible among preferred engines. An engine of weight 2 gets twice as many calls as one of
 * weight 1. Ties are broken by name.
 * @param preferred groups of engine ids, the most important group first
 * @returns null if no engine can take the call
 */
export function chooseEngine<Offer extends EngineOffer>(
  offers: readonly Offer[],
  kinds: readonly EngineKind[],
  preferred: readonly (readonly string[])[] = [],
): Offer | null {
  const available = offers.filter((offer) => kinds.includes(offer.kind) && takesCalls(offer));
  const load = ({ live_calls, weight }: Offer): number => (live_calls + 1) / weight;
  available.sort((a, b) => load(a) - load(b) || (a.name < b.name ? -1 : 1));
  for (const group of preferred) {
    const found = available.find(({ id }) => group.includes(id));
    if (found) return found;
  }
  return available[0] ?? null;
}
