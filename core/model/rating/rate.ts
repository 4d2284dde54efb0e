import type { CallDirection, CallKind } from '../call/call.js';
import { multiplyDivide, type MicroSar } from '../money.js';

/** What a leg costs, for the numbers, direction and kind that it names. */
export interface Rate {
  readonly direction: CallDirection;
  /** Null is of every kind. */
  readonly kind: CallKind | null;
  /** Of the number outside in E.164, without its plus; empty is of every number. */
  readonly prefix: string;
  readonly perMinute: MicroSar;
  /** What is begun of so many seconds costs them whole; at least 1. */
  readonly incrementSeconds: number;
  /** A leg that was answered costs so many seconds at least. */
  readonly minimumSeconds: number;
}

/** What a minute costs, for every kind of call in a direction or for one of them. */
export type CallPrice = Pick<Rate, 'direction' | 'kind' | 'perMinute'>;

/** A leg that was answered and is over. */
export interface RatedLeg {
  readonly direction: CallDirection;
  readonly kind: CallKind;
  /** E.164; null where it is not known. */
  readonly number: string | null;
  readonly seconds: number;
}

/** What one leg costs, and why. */
export interface LegCost {
  readonly billedSeconds: number;
  readonly amount: MicroSar;
}

/** No prefix is longer. */
const LONGEST_PREFIX = 15;

/** The rates of a version of a plan, found in a few steps however many there are. */
export class RateTable {
  readonly #rates = new Map<string, Rate>();

  constructor(rates: readonly Rate[]) {
    for (const rate of rates) this.#rates.set(keyOf(rate.direction, rate.kind, rate.prefix), rate);
  }

  /**
   * The rate of a leg: the one with the longest prefix of its number; of those with the same, one of its own kind goes before one of every
   * kind. Null where the plan says nothing of it: it costs nothing.
   */
  find({ direction, kind, number }: Omit<RatedLeg, 'seconds'>): Rate | null {
    const digits = (number?.replace(/^\+/, '') ?? '').slice(0, LONGEST_PREFIX);
    for (let length = digits.length; length >= 0; length--) {
      const prefix = digits.slice(0, length);
      const rate = this.#rates.get(keyOf(direction, kind, prefix)) ?? this.#rates.get(keyOf(direction, null, prefix));
      if (rate) return rate;
    }
    return null;
  }
}

function keyOf(direction: CallDirection, kind: CallKind | null, prefix: string): string {
  return `${direction} ${kind ?? ''} ${prefix}`;
}

/** @param seconds answered; a leg that was answered for less than half a second has none, and costs the minimum */
export function costOf({ perMinute, incrementSeconds, minimumSeconds }: Rate, seconds: number): LegCost {
  const billedSeconds = Math.ceil(Math.max(seconds, minimumSeconds) / incrementSeconds) * incrementSeconds;
  return { billedSeconds, amount: multiplyDivide(perMinute, billedSeconds, 60) };
}

/** For how many whole seconds a leg of this rate can be paid with the amount; Infinity for a rate of nothing. */
export function secondsFor(rate: Rate, amount: MicroSar): number {
  if (rate.perMinute === 0) return Infinity;
  const increments = Math.floor((amount * 60) / (rate.perMinute * rate.incrementSeconds));
  const seconds = increments * rate.incrementSeconds;
  return costOf(rate, seconds).amount <= amount && seconds >= rate.minimumSeconds ? seconds : 0;
}
