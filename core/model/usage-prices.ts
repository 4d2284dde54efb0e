import { CALL_KINDS, type CallDirection, type CallKind } from './call.js';
import type { MicroSar } from './money.js';

/** What a minute costs, for every kind of call in this direction or for one of them. */
export interface CallPrice {
  readonly direction: CallDirection;
  readonly kind: CallKind | null;
  readonly perMinute: MicroSar;
}

/** The price of each direction and kind that has one; a kind's own goes before its direction's. */
export function pricesByKind(prices: readonly CallPrice[]): (CallPrice & { readonly kind: CallKind })[] {
  return (['outbound', 'inbound'] as const).flatMap((direction) => {
    const own = prices.filter((price) => price.direction === direction);
    return CALL_KINDS.flatMap((kind) => {
      const price = own.find((known) => known.kind === kind) ?? own.find((known) => known.kind === null);
      return price ? [{ ...price, kind }] : [];
    });
  });
}

/** A minute's millionths of a riyal for a second, to a halala. */
const PER_HALALA = 60n * 10_000n;

/**
 * Riyals with two decimals, halves up.
 * @param weighted the sum of seconds, each times the price of its minute in millionths of a riyal; not negative
 */
export function estimateSar(weighted: bigint): number {
  return Number((2n * weighted + PER_HALALA) / (2n * PER_HALALA)) / 100;
}
