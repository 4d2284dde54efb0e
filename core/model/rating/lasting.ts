import type { MicroSar } from '../money.js';
import { costOf, type Rate } from './rate.js';

/** A leg of a call that was answered, and what it costs. */
export interface PricedLeg {
  /** Null costs nothing. */
  readonly rate: Rate | null;
  readonly answeredAt: Date;
  /** Null while it goes on. */
  readonly endedAt: Date | null;
}

const SECOND_MS = 1_000;

/** What the legs will have cost at that time, if those that go on do so until then. */
export function costAt(legs: readonly PricedLeg[], at: Date): MicroSar {
  return legs.reduce((sum, { rate, answeredAt, endedAt }) => {
    if (!rate) return sum;
    const talkedMs = (endedAt ?? at).getTime() - answeredAt.getTime();
    return sum + costOf(rate, Math.max(0, Math.round(talkedMs / SECOND_MS))).amount;
  }, 0);
}

/**
 * The last moment, to a second, at which the legs cost no more than the amount.
 * @returns `horizon` where they do not until then, and `now` where they do already
 */
export function lastsUntil(legs: readonly PricedLeg[], amount: MicroSar, now: Date, horizon: Date): Date {
  if (costAt(legs, horizon) <= amount) return horizon;
  let at = now.getTime();
  while (at + SECOND_MS <= horizon.getTime() && costAt(legs, new Date(at + SECOND_MS)) <= amount) at += SECOND_MS;
  return new Date(at);
}
