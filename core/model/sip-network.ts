import ipaddr from 'ipaddr.js';

/** Whether this names a country (ISO 3166-1 alpha-2) and not a network. */
export function isCountry(network: string): boolean {
  return /^[A-Z]{2}$/.test(network);
}

/**
 * The one form of an address, a network or a country: a network has its first address, a country capital letters.
 * @returns null for what is none of them
 */
export function networkOf(text: string): string | null {
  if (/^[a-z]{2}$/i.test(text)) return COUNTRIES.has(text.toUpperCase()) ? text.toUpperCase() : null;
  try {
    if (!text.includes('/')) return ipaddr.process(text).toString();
    const [address, bits] = ipaddr.parseCIDR(text);
    const first =
      address.kind() === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
    return `${first.toString()}/${bits}`;
  } catch {
    return null;
  }
}

/** Whether the address is one of a private network, which has no country. */
export function isPrivateAddress(address: string): boolean {
  try {
    return ipaddr.process(address).range() !== 'unicast';
  } catch {
    return true;
  }
}

/** The codes that Node.js has names for. */
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const LETTERS = Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at));
const COUNTRIES: ReadonlySet<string> = new Set(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
    // Groups of countries and codes for tests have names, too.
    (code) => names.of(code) !== undefined && !['ZZ', 'XA', 'XB', 'EU', 'EZ', 'UN', 'QO'].includes(code),
  ),
);
