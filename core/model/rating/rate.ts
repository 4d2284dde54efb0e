import type { CallDirection, CallKind } from '../call/call.js';
import { multiplyDivide, type MicroSar } from '../money.js';

/** The price of a leg, for the numbers, direction and kind that it names. */
export interface Rate {
  readonly direction: CallDirection;
  /** Null applies to every kind. */
  readonly kind: CallKind | null;
  /** Prefix of the outside number in E.164, without its plus; empty applies to every number. */
  readonly prefix: string;
  readonly perMinute: MicroSar;
  /** Duration is rounded up to a multiple of this; at least 1. */
  readonly incrementSeconds: number;
  /** The minimum billed duration of an answered leg. */
  readonly minimumSeconds: number;
}

/** The price of a minute, for one kind of call in a direction or for all kinds. */
export type CallPrice = Pick<Rate, 'direction' | 'kind' | 'perMinute'>;

/** An answered leg that has ended. */
export interface RatedLeg {
  readonly direction: CallDirection;
  readonly kind: CallKind;
  /** E.164; null if unknown. */
  readonly number: string | null;
  readonly seconds: number;
}

/** The price of one leg, with its billed duration. */
export interface LegCost {
  readonly billedSeconds: number;
  readonly amount: MicroSar;
}

/** An E.164 number has at most this many digits. */
const LONGEST_PREFIX = 15;

/**
 * The rates of one version of a plan, indexed so that a lookup takes few steps regardless of their
 * number.
 */
export class RateTable {
  readonly #rates = new Map<string, Rate>();

  constructor(rates: readonly Rate[]) {
    for (const rate of rates) this.#rates.set(keyOf(rate.direction, rate.kind, rate.prefix), rate);
  }

  /**
   * Finds the rate of a leg: the longest matching prefix wins; for equal prefixes, a rate of the
   * leg's kind wins over one of every kind. Returns null if the plan has no rate for it: the leg is
   * free.
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

/**
 * @param seconds answered; a leg answered for less than half a second has 0 and costs the minimum
 */
export function costOf({ perMinute, incrementSeconds, minimumSeconds }: Rate, seconds: number): LegCost {
  const billedSeconds = Math.ceil(Math.max(seconds, minimumSeconds) / incrementSeconds) * incrementSeconds;
  return { billedSeconds, amount: multiplyDivide(perMinute, billedSeconds, 60) };
}

/**
 * How many whole seconds of a leg at this rate the amount can pay for; Infinity if the rate is
 * zero.
 */
export function affordableSeconds(rate: Rate, amount: MicroSar): number {
  if (rate.perMinute === 0) return Infinity;
  const increments = Math.floor((amount * 60) / (rate.perMinute * rate.incrementSeconds));
  const seconds = increments * rate.incrementSeconds;
  return costOf(rate, seconds).amount <= amount && seconds >= rate.minimumSeconds ? seconds : 0;
}
