import { EMERGENCY_NUMBERS, parseNumber, WITHHELD_NUMBER } from '../phone-numbers.js';
import type { RejectStatus } from '../call/refusal.js';
import { readPrefix } from './search.js';

/** `withheld`: every caller who shows no number. */
export const BLOCKED_KINDS = ['exact', 'prefix', 'withheld'] as const;
export type BlockedKind = (typeof BLOCKED_KINDS)[number];

/** What a blocked caller gets: a rejection, or an announcement before one. */
export const BLOCKED_CALLER_ANSWERS = ['declined', 'unwanted', 'announcement'] as const;
export type BlockedCallerAnswer = (typeof BLOCKED_CALLER_ANSWERS)[number];
export const DEFAULT_BLOCKED_CALLER_ANSWER: BlockedCallerAnswer = 'declined';

/** The SIP statuses of the answers that only reject. */
export const STATUS_OF_ANSWER: Readonly<Record<Exclude<BlockedCallerAnswer, 'announcement'>, RejectStatus>> = {
  declined: 603,
  unwanted: 607,
};

/** An entry of a list of callers: those who are blocked, or those who never are. */
export interface BlockedEntry {
  readonly kind: BlockedKind;
  /** E.164, or the first digits of it (`+4420`); null for `withheld`. */
  readonly number: string | null;
}

/** How many entries a list has at most. A project has a list for each kind of key; the installation and each agent have one. */
export const MAX_BLOCKED_CALLERS = 10_000;
export const MAX_BLOCKED_NOTE = 200;

const MIN_PREFIX_DIGITS = 3;
const MAX_PREFIX_DIGITS = 15;

/** Parses the number of an `exact` entry to E.164. Returns null for any other text, also for an emergency number. */
export function readBlockedNumber(text: string): string | null {
  const parsed = parseNumber(text, { allowForeign: true });
  return parsed === null || parsed.kind === 'emergency' ? null : parsed.e164;
}

/** Parses a prefix of at least three digits to E.164. Returns null for any other text. */
export function readBlockedPrefix(text: string): string | null {
  const prefix = readPrefix(text);
  return prefix !== null && /^\+[1-9]/.test(prefix) && prefix.length > MIN_PREFIX_DIGITS ? prefix : null;
}

/**
 * Returns the entries that block a caller.
 * @param caller the number as calls keep it: E.164, or as the carrier sent it, or {@link WITHHELD_NUMBER}
 * @param emergency numbers that are never blocked, whatever the list says
 */
export function entriesAgainst(
  caller: string,
  emergency: ReadonlySet<string> = new Set(EMERGENCY_NUMBERS),
): readonly BlockedEntry[] {
  if (caller === WITHHELD_NUMBER) return [{ kind: 'withheld', number: null }];
  const number = international(caller);
  // Carriers show an emergency centre by its short number, with or without a country code.
  if (number === null || emergency.has(caller) || emergency.has(number.replace(/^\+(966)?/, ''))) return [];
  const entries: BlockedEntry[] = [{ kind: 'exact', number }];
  for (let digits = MIN_PREFIX_DIGITS; digits <= MAX_PREFIX_DIGITS && digits < number.length; digits += 1) {
    entries.push({ kind: 'prefix', number: number.slice(0, digits + 1) });
  }
  return entries;
}

/**
 * The number with its `+`; also one that no numbering plan has, which fraudsters show, and one from a carrier that
 * leaves the `+` out. Null if it is not an international number.
 */
function international(caller: string): string | null {
  if (/^\+\d+$/.test(caller)) return caller;
  return /^\d+$/.test(caller) ? readBlockedNumber(`+${caller}`) : null;
}
