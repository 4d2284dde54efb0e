import { createHash, timingSafeEqual } from 'node:crypto';
import { splitAt } from './headers.js';
import { unquoted } from './name-address.js';

/** Digest authentication of SIP (RFC 7616, RFC 8760, RFC 3261 §22). */

export const DIGEST_ALGORITHMS = ['SHA-256', 'MD5'] as const;
export type DigestAlgorithm = (typeof DIGEST_ALGORITHMS)[number];

/** The credentials of an `Authorization` or `Proxy-Authorization`. */
export interface DigestCredentials {
  readonly username: string;
  readonly realm: string;
  readonly nonce: string;
  readonly uri: string;
  readonly response: string;
  readonly algorithm: DigestAlgorithm;
  /** With `qop=auth`: the count of requests with this nonce, as sent, and the client's own nonce. Null without. */
  readonly count: { readonly nc: string; readonly cnonce: string } | null;
}

/** Null for another scheme, an unknown algorithm or kind of protection, and for missing or repeated members. */
export function parseCredentials(text: string): DigestCredentials | null {
  const [, list] = /^Digest\s+(.+)$/is.exec(text.trim()) ?? [];
  if (list === undefined) return null;
  const members = new Map<string, string>();
  for (const part of splitAt(list, ',')) {
    const [, name, value] = /^([\w-]+)\s*=\s*(.*)$/s.exec(part) ?? [];
    if (name === undefined || value === undefined || members.has(name.toLowerCase())) return null;
    members.set(name.toLowerCase(), unquoted(value.trim()));
  }
  const [username, realm, nonce] = [members.get('username'), members.get('realm'), members.get('nonce')];
  const [uri, response] = [members.get('uri'), members.get('response')];
  if (username === undefined || realm === undefined || nonce === undefined) return null;
  if (uri === undefined || response === undefined) return null;
  const named = (members.get('algorithm') ?? 'MD5').toUpperCase();
  const algorithm = DIGEST_ALGORITHMS.find((known) => known === named);
  if (algorithm === undefined) return null;
  const qop = members.get('qop');
  if (qop === undefined) return { username, realm, nonce, uri, response, algorithm, count: null };
  const [nc, cnonce] = [members.get('nc'), members.get('cnonce')];
  if (qop.toLowerCase() !== 'auth' || nc === undefined || cnonce === undefined) return null;
  if (!/^[\da-f]{8}$/i.test(nc) || cnonce === '') return null;
  return { username, realm, nonce, uri, response, algorithm, count: { nc, cnonce } };
}

/** The `response` that belongs to the credentials, in lower-case hexadecimal digits (RFC 7616 §3.4.1). */
export function digestResponse(
  { username, realm, nonce, uri, algorithm, count }: Omit<DigestCredentials, 'response'>,
  method: string,
  password: string,
): string {
  const hash = (text: string): string =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex');
  const secret = hash(`${username}:${realm}:${password}`);
  const request = hash(`${method}:${uri}`);
  return hash(
    count === null ? `${secret}:${nonce}:${request}` : `${secret}:${nonce}:${count.nc}:${count.cnonce}:auth:${request}`,
  );
}

/** Compares in constant time. */
export function isAnsweredBy(credentials: DigestCredentials, method: string, password: string): boolean {
  const wanted = Buffer.from(digestResponse(credentials, method, password));
  const given = Buffer.from(credentials.response.toLowerCase());
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The value of a `WWW-Authenticate` or `Proxy-Authenticate`. */
export function digestChallenge(
  realm: string,
  nonce: string,
  algorithm: DigestAlgorithm,
  { stale }: { readonly stale: boolean },
): string {
  const parts = [`realm="${realm}"`, `nonce="${nonce}"`, `algorithm=${algorithm}`, 'qop="auth"'];
  return `Digest ${[...parts, ...(stale ? ['stale=true'] : [])].join(', ')}`;
}
