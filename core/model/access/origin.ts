/** A host prefixed with `*.`: all of its subdomains. */
const SUBDOMAINS = /^(https?:\/\/)\*\.([^*]+)$/;

/**
 * A web origin as browsers send it (RFC 6454 §7): scheme, host, and the port if it is not the
 * scheme's default. Null for anything else: other schemes, paths, user names, passwords, `null`.
 */
export function parseOrigin(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  return isBare ? url.origin : null;
}

/**
 * An entry of a list of allowed origins: an origin, or `https://*.example.com` for all subdomains.
 * Null for anything else.
 */
export function parseAllowedOrigin(text: string): string | null {
  const [, scheme, host] = SUBDOMAINS.exec(text) ?? [];
  if (scheme === undefined || host === undefined) return text.includes('*') ? null : parseOrigin(text);
  const base = parseOrigin(scheme + host);
  // `*.com` would allow everybody.
  if (base === null || !new URL(base).hostname.includes('.')) return null;
  return base.replace('://', '://*.');
}

/** Whether the list of entries, as {@link parseAllowedOrigin} returns them, allows the origin. */
export function isOriginAllowed(origin: string, allowed: readonly string[]): boolean {
  const asked = parseOrigin(origin);
  return asked !== null && allowed.some((entry) => (entry.includes('*') ? isSubdomain(asked, entry) : entry === asked));
}

function isSubdomain(origin: string, entry: string): boolean {
  const [scheme = '', host = ''] = entry.split('*');
  return origin.startsWith(scheme) && origin.endsWith(host) && origin.length > scheme.length + host.length;
}
