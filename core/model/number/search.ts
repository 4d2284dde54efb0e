import { asciiDigits, type NumberKind } from '../phone-numbers.js';

/** A number that a customer can own; emergency numbers are excluded. */
export type OwnableKind = Exclude<NumberKind, 'emergency'>;
export const OWNABLE_KINDS = [
  'geographic',
  'mobile',
  'toll_free',
  'unified',
  'foreign',
] as const satisfies readonly OwnableKind[];

/** Criteria of a number search; null matches any. */
export interface NumberSearch {
  /** The start of the E.164 form, with its `+`. */
  readonly prefix: string | null;
  readonly kind: OwnableKind | null;
  /** See {@link readPattern}. */
  readonly pattern: string | null;
}

export const ANY_NUMBER: NumberSearch = { prefix: null, kind: null, pattern: null };

/**
 * Parses a number prefix to E.164. Accepts `+96611`, `0096611`, `96611` and the Saudi national
 * forms `011`, `800` and `9200`. Returns null if the text is not a number prefix.
 */
export function readPrefix(text: string): string | null {
  const digits = asciiDigits(text).replace(/[\s-]/g, '');
  if (!/^\+?\d{1,15}$/.test(digits)) return null;
  if (digits.startsWith('+')) return digits;
  if (digits.startsWith('00')) return digits.length === 2 ? null : `+${digits.slice(2)}`;
  if (digits.startsWith('0')) return `+966${digits.slice(1)}`;
  return /^(800|9200)/.test(digits) ? `+966${digits}` : `+${digits}`;
}

/**
 * Parses a pattern over the digits of the E.164 form: `*` matches any digits or none, `?` exactly
 * one. `*5555` matches numbers that end in 5555, `*123*` those that contain 123. Returns null if
 * the text is not a pattern.
 */
export function readPattern(text: string): string | null {
  const pattern = asciiDigits(text).replace(/^\+/, '');
  return /^[\d*?]{1,32}$/.test(pattern) ? pattern.replace(/\*+/g, '*') : null;
}

/**
 * The search as two SQL LIKE patterns over the E.164 form, for prefix and pattern; `%` if a
 * criterion is absent.
 */
export function likePatterns({ prefix, pattern }: NumberSearch): readonly [prefix: string, pattern: string] {
  return [`${prefix ?? ''}%`, pattern === null ? '%' : `+${pattern.replaceAll('*', '%').replaceAll('?', '_')}`];
}

/** Whether a number matches the search. */
export function matchesSearch(
  number: { readonly e164: string; readonly kind: OwnableKind },
  search: NumberSearch,
): boolean {
  const { prefix, kind, pattern } = search;
  if (prefix !== null && !number.e164.startsWith(prefix)) return false;
  if (kind !== null && number.kind !== kind) return false;
  return pattern === null || matches(number.e164.slice(1), pattern);
}

/**
 * Avoids regular expressions: a hostile pattern must not cost more than its length times the
 * number's length.
 */
function matches(digits: string, pattern: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  let from = 0;
  while (at < digits.length) {
    const wanted = pattern[from];
    if (wanted === '*') {
      [star, resume] = [from, at];
      from += 1;
    } else if (wanted === '?' || wanted === digits[at]) {
      from += 1;
      at += 1;
    } else if (star >= 0) {
      resume += 1;
      [from, at] = [star + 1, resume];
    } else return false;
  }
  return pattern.slice(from).replaceAll('*', '') === '';
}
