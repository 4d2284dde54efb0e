import { generateSecret, hashSecret, parseSecret, visibleOf } from './secrets.js';

export const KEY_KINDS = ['sandbox', 'live'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export interface ParsedKey {
  readonly kind: KeyKind;
  /** What lists and logs may show of the key: the kind and the first eight characters after it. */
  readonly prefix: string;
  /** Whether the checksum matches; if not, the key was mistyped and need not be looked up. */
  readonly valid: boolean;
}

/** How long the secret of a key is kept if the organization lets it be revealed. */
export const KEPT_SECRET_DAYS = 30;

const PREFIX = /^sk_(sandbox|live)_$/;

/** Generates an API key: it begins with `sk_sandbox_` or `sk_live_`. */
export function generateKey(kind: KeyKind): string {
  return generateSecret(`sk_${kind}_`);
}

/** Parses an API key; null if the text does not have the shape of one. */
export function parseKey(text: string): ParsedKey | null {
  const parsed = parseSecret(text);
  const [, kind] = PREFIX.exec(parsed?.prefix ?? '') ?? [];
  if (parsed === null || kind === undefined) return null;
  return { kind: kind === 'live' ? 'live' : 'sandbox', prefix: visibleOf(parsed), valid: parsed.valid };
}

/** The stored form of a key. */
export const hashKey = hashSecret;
