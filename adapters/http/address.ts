import ipaddr from 'ipaddr.js';

/** Public by its range, yet the metadata and agent service of a cloud (Azure WireServer). */
const PUBLIC_METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** RFC 4291 §2.4, IANA: everything that is global unicast today. Outside of it lie also `::a.b.c.d` and NAT64. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

export type AddressClass = 'public' | 'loopback' | 'forbidden';

/**
 * What an IP address is to a guarded client. Forbidden is all that is not plainly public: private, shared (RFC 6598),
 * link-local with the metadata addresses, unspecified, multicast, reserved, documentation; and every IPv6 form that
 * carries an IPv4 address inside (mapped, compatible, NAT64, 6to4, Teredo), whatever that address is.
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

/** The address when a URL's host is one (brackets and a trailing dot removed), or null when it is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return ipaddr.isValid(bare) ? bare : null;
}
