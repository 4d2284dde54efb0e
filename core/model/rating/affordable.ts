import type { MicroSar } from '../money.js';
import { costOf, type Rate } from './rate.js';

/** An answered leg of a call, with its rate. */
export interface PricedLeg {
  /** Null: free of charge. */
  readonly rate: Rate | null;
  readonly answeredAt: Date;
  /** Null while the leg is up. */
  readonly endedAt: Date | null;
}

const SECOND_MS = 1_000;

/** The cost of the legs at that time, assuming that live legs last until then. */
export function costAt(legs: readonly PricedLeg[], at: Date): MicroSar {
  return legs.reduce((sum, { rate, answeredAt, endedAt }) => {
    if (!rate) return sum;
    const talkedMs = (endedAt ?? at).getTime() - answeredAt.getTime();
    return sum + costOf(rate, Math.max(0, Math.round(talkedMs / SECOND_MS))).amount;
  }, 0);
}

/**
 * The last moment, to a second, at which the legs cost no more than the amount.
 * @returns `horizon` if the cost stays within the amount until then, and `now` if it already
 * exceeds it
 */
export function affordableUntil(legs: readonly PricedLeg[], amount: MicroSar, now: Date, horizon: Date): Date {
  if (costAt(legs, horizon) <= amount) return horizon;
  let at = now.getTime();
  while (at + SECOND_MS <= horizon.getTime() && costAt(legs, new Date(at + SECOND_MS)) <= amount) at += SECOND_MS;
  return new Date(at);
}
