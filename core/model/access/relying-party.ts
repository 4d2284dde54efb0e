import { isIP } from 'node:net';

/** The site that passkeys are for (WebAuthn, section 5.4.2). */
export interface RelyingParty {
  /** The domain that passkeys are bound to. */
  readonly id: string;
  /** The origin of the pages that may use them. */
  readonly origin: string;
}

/**
 * The site of the public address; null if browsers make no passkeys for it: it is an IP address. The loopback's are
 * also reached as `localhost`, which browsers accept.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const url = new URL(publicUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) return { id: host, origin: url.origin };
  if (host !== '::1' && !host.startsWith('127.')) return null;
  url.hostname = 'localhost';
  return { id: 'localhost', origin: url.origin };
}
