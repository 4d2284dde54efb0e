import ipaddr from 'ipaddr.js';

/** In a public range, but it is a cloud's metadata and agent service (Azure WireServer). */
const PUBLIC_METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** RFC 4291 §2.4, IANA: all global unicast addresses allocated today. `::a.b.c.d` and NAT64 are outside of it. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

export type AddressClass = 'public' | 'loopback' | 'forbidden';

/**
 * Classifies an IP address for a guarded client. Everything that is not clearly public is forbidden: private, shared
 * (RFC 6598), link-local including metadata addresses, unspecified, multicast, reserved and documentation addresses,
 * and every IPv6 form that embeds an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), whatever that address is.
 */
export function classifyAddress(text: string): AddressClass {
  if (!ipaddr.isValid(text)) return 'forbidden';
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  if (range !== 'unicast') return 'forbidden';
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST) ? 'public' : 'forbidden';
  return PUBLIC_METADATA_ADDRESSES.has(address.toString()) ? 'forbidden' : 'public';
}

/** Returns a URL's host if it is an IP address (without brackets and trailing dot), or null if it is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return ipaddr.isValid(bare) ? bare : null;
}
