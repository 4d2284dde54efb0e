import { createHash } from 'node:crypto';
import { randomBase62 } from './base62.js';
import { checksum, CHECKSUM_LENGTH } from './checksum.js';

export const KEY_KINDS = ['sandbox', 'live'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export interface ParsedKey {
  readonly kind: KeyKind;
  /** What lists and logs may show of the key: the kind and the first eight characters after it. */
  readonly prefix: string;
  /** Whether the checksum matches; if not, the key was mistyped and need not be looked up. */
  readonly valid: boolean;
}

const SECRET_BYTES = 32;
/** 62^43 > 2^256: this length holds every value. */
const SECRET_LENGTH = 43;
const VISIBLE_LENGTH = 8;

const SHAPE = new RegExp(`^(sk_(sandbox|live)_)([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/**
 * Generates an API key: `sk_sandbox_` or `sk_live_`, 32 random bytes in base 62, and the CRC-32 of
 * all that in base 62, so that secret scanners recognise it and a typing error is found without a
 * database lookup.
 */
export function generateKey(kind: KeyKind): string {
  const secret = randomBase62(SECRET_BYTES, SECRET_LENGTH);
  const body = `sk_${kind}_${secret}`;
  return body + checksum(body);
}

/** Parses an API key; null if the text does not have the shape of one. */
export function parseKey(text: string): ParsedKey | null {
  const [, start, kind, secret, sum] = SHAPE.exec(text) ?? [];
  if (start === undefined || secret === undefined || sum === undefined) return null;
  return {
    kind: kind === 'live' ? 'live' : 'sandbox',
    prefix: start + secret.slice(0, VISIBLE_LENGTH),
    valid: checksum(start + secret) === sum,
  };
}

/**
 * The stored form of a key: SHA-256 in hex. With 256 random bits it needs no salt or stretching.
 */
export function hashKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}
