import type { MicroSar } from '../money.js';
import type { OwnableKind } from '../number/search.js';

/** The price of a number for a month, for the numbers that it names. */
export interface NumberFee {
  /** Null applies to every kind. */
  readonly kind: OwnableKind | null;
  /** Prefix of the number in E.164, without its plus; empty applies to every number. */
  readonly prefix: string;
  readonly monthly: MicroSar;
}

/** The fee of every number of a kind. */
export type NumberPrice = Pick<NumberFee, 'kind' | 'monthly'>;

/**
 * Finds the fee of a number as rates are found: the longest matching prefix wins; for equal prefixes, a fee for the
 * number's kind wins over one for every kind. Returns null if the plan has none: the number is free.
 */
export function feeOf(
  fees: readonly NumberFee[],
  number: { readonly e164: string; readonly kind: OwnableKind },
): NumberFee | null {
  const digits = number.e164.replace(/^\+/, '');
  const matching = fees.filter(
    ({ kind, prefix }) => (kind === null || kind === number.kind) && digits.startsWith(prefix),
  );
  const rank = ({ kind, prefix }: NumberFee): number => 2 * prefix.length + (kind === null ? 0 : 1);
  return matching.reduce<NumberFee | null>((best, fee) => (best && rank(best) >= rank(fee) ? best : fee), null);
}

/**
 * The day on which a month of a rental starts: the same day of the month as the anchor, or the last day of a shorter
 * month. @param anchor `YYYY-MM-DD`. @param month 0 is the anchor itself
 */
export function monthStart(anchor: string, month: number): string {
  const [year = 0, first = 1, day = 1] = anchor.split('-').map(Number);
  const lastDay = new Date(Date.UTC(year, first + month, 0)).getUTCDate();
  return new Date(Date.UTC(year, first - 1 + month, Math.min(day, lastDay))).toISOString().slice(0, 10);
}
