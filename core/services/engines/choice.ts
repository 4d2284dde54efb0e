import type { EngineRow } from '../../data/rows.js';
import type { EngineKind } from '../../model/engine-kinds.js';

/** An engine as far as a new call cares. */
export interface EngineOffer extends Pick<
  EngineRow,
  'id' | 'name' | 'kind' | 'status' | 'sip_status' | 'weight' | 'max_calls' | 'draining'
> {
  /** Some process owns it. */
  readonly leased: boolean;
  /** Calls on it that are not over. */
  readonly live_calls: number;
}

/** Whether the engine can take a call now: it has an owner that reaches it, answers SIP, does not drain, and is not full. */
export function takesCalls(engine: Omit<EngineOffer, 'id' | 'name' | 'kind' | 'weight'>): boolean {
  const { leased, status, sip_status, draining, max_calls, live_calls } = engine;
  const isReached = leased && status === 'up' && sip_status !== 'down';
  return isReached && !draining && (max_calls === null || live_calls < max_calls);
}

/**
 * The engine for a new call, among those of these kinds that can take it: the first of the preferred ones, otherwise the one that
 * carries the least for its weight. An engine of weight 2 gets twice as many as one of weight 1. Equals are taken by name.
 * @param preferred ids, the best first
 * @returns null where none can take it
 */
export function chooseEngine<Offer extends EngineOffer>(
  offers: readonly Offer[],
  kinds: readonly EngineKind[],
  preferred: readonly string[] = [],
): Offer | null {
  const able = offers.filter((offer) => kinds.includes(offer.kind) && takesCalls(offer));
  for (const id of preferred) {
    const found = able.find((offer) => offer.id === id);
    if (found) return found;
  }
  const burden = ({ live_calls, weight }: Offer): number => (live_calls + 1) / weight;
  const [best] = able.sort((a, b) => burden(a) - burden(b) || (a.name < b.name ? -1 : 1));
  return best ?? null;
}
