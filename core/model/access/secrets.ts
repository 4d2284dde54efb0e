import { createHash, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from './base62.js';
import { checksum, CHECKSUM_LENGTH } from './checksum.js';

const SECRET_BYTES = 32;
/** 62^43 > 2^256: this length holds every value. */
const SECRET_LENGTH = 43;

const SHAPE = new RegExp(`^([a-z_]+_)([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** The parts of a key or token. */
export interface ParsedSecret {
  /** What kind of secret it is: `sk_live_`, `at_` … */
  readonly prefix: string;
  /** The random part. */
  readonly secret: string;
  /** Whether the checksum matches; if not, the text was mistyped and need not be looked up. */
  readonly valid: boolean;
}

/**
 * Generates a key or token: the prefix, 32 random bytes in base 62, and the CRC-32 of all that in base 62, so that
 * secret scanners recognise it and a typing error is found without a database lookup.
 */
export function generateSecret(prefix: string): string {
  const body = prefix + randomBase62(SECRET_BYTES, SECRET_LENGTH);
  return body + checksum(body);
}

/** Parses a key or token of any kind; null if the text does not have the shape of one. */
export function parseSecret(text: string): ParsedSecret | null {
  const [, prefix, secret, sum] = SHAPE.exec(text) ?? [];
  if (prefix === undefined || secret === undefined || sum === undefined) return null;
  return { prefix, secret, valid: checksum(prefix + secret) === sum };
}

/** The stored form of a key or token: SHA-256 in hex. With 256 random bits it needs no salt or stretching. */
export function hashSecret(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Compares in constant time, so that nobody finds a secret out byte by byte. */
export function isSameSecret(given: string, known: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(known)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const VISIBLE_LENGTH = 8;

/** What lists and logs may show of a key or token: its prefix and the first eight characters after it. */
export function visiblePart(text: string): string {
  const parsed = parseSecret(text);
  return parsed === null ? '' : visibleOf(parsed);
}

/** As {@link visiblePart}, of a key or token that has been parsed. */
export function visibleOf({ prefix, secret }: Pick<ParsedSecret, 'prefix' | 'secret'>): string {
  return prefix + secret.slice(0, VISIBLE_LENGTH);
}
