import { isIP, isIPv6 } from 'node:net';
import type { SipText } from '../message/text.js';

/** What messages that leave the platform must not show, and what stands there instead. */
export interface Hidden {
  /** The host of the edge, as others know it. */
  readonly host: string;
  /** Hosts of engines and of the relay. */
  readonly inside: readonly string[];
  /** Where audio reaches engines from outside, if their own addresses are private (NAT); otherwise null. */
  readonly media: string | null;
  /** The other side's own host, which stays as it is. */
  readonly other?: string;
}

/** Fields that name programs and their versions, and Hatif's own fields except the one that browsers read. */
const LEFT_OUT = /^(?:server|user-agent|organization|warning|x-(?!hatif-resumed$).*)$/;
/** Fields that the relay writes itself, or that both sides must see alike. */
const KEPT: ReadonlySet<string> = new Set([
  'via',
  'route',
  'record-route',
  'contact',
  'call-id',
  'cseq',
  'max-forwards',
  'content-length',
  'content-type',
  // Their hashes are over what they hold.
  'authorization',
  'proxy-authorization',
  'www-authenticate',
  'proxy-authenticate',
]);
/** Private and loopback addresses (RFC 1918, RFC 6598, RFC 1122, RFC 3927), with a port. */
const PRIVATE =
  /(?<![\d.])(?:10(?:\.\d{1,3}){3}|127(?:\.\d{1,3}){3}|169\.254(?:\.\d{1,3}){2}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d{1,3}){2})(?![\d.])(?::\d{1,5})?/g;

/**
 * Removes from an engine's message what describes its inside: programs, versions and internal addresses.
 * @param isNear whether the other side reaches private addresses, so that audio can go there directly
 */
export function hide(message: SipText, hidden: Hidden, isNear: boolean): SipText {
  const isResponse = message.status !== null;
  const shown = message.map((name, value) => {
    if (LEFT_OUT.test(name)) return null;
    // A response repeats what the other side wrote.
    if (KEPT.has(name) || (isResponse && (name === 'from' || name === 'to'))) return value;
    return withoutAddresses(value, hidden);
  });
  const isSdp = /^application\/sdp\b/i.test(message.first('content-type') ?? '');
  return isSdp ? shown.withBody(hiddenSdp(message.body, hidden.host, isNear ? null : hidden.media)) : shown;
}

/** Replaces internal addresses, with their ports. */
export function withoutAddresses(value: string, { host, inside, other }: Hidden): string {
  const [shown = '', ...others] = [host, ...(other === undefined || inside.includes(other) ? [] : [other])].map(
    (one) => (isIPv6(one) ? `[${one}]` : one),
  );
  const isShown = (found: string): boolean =>
    [shown, ...others].some((one) => found === one || found.startsWith(`${one}:`));
  const own = inside.filter((one) => one !== host).map(patternOf);
  return [PRIVATE, ...own].reduce(
    (text, pattern) => text.replace(pattern, (found) => (isShown(found) ? found : shown)),
    value,
  );
}

function patternOf(host: string): RegExp {
  const escaped = host.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const family = isIP(host);
  const address = family === 6 ? `\\[?${escaped}\\]?` : `(?<![\\d.])${escaped}(?![\\d.])`;
  // A name may also be a word of a text: it is a host only in an address.
  const whole = family === 0 ? `(?<=@)${escaped}(?![\\w.-])` : address;
  return new RegExp(`${whole}(?::\\d{1,5}(?![\\da-f:]))?`, 'gi');
}

/** A line that says where audio goes. */
const AUDIO_ADDRESS = /^(c=|a=rtcp:\d+ )IN IP4 (\S+)$/;

/**
 * Takes the names of programs and the address of the author from a session description (RFC 8866).
 * @param media in place of private addresses of the audio; null leaves them
 */
function hiddenSdp(sdp: string, host: string, media: string | null): string {
  const lines = sdp.split(/\r?\n/).flatMap((line) => {
    if (/^(?:[iuep]=|a=tool:)/.test(line)) return [];
    if (line.startsWith('s=')) return ['s=-'];
    const [, to, address = ''] = AUDIO_ADDRESS.exec(line) ?? [];
    if (to !== undefined) return [media !== null && isPrivateAddress(address) ? `${to}IN IP4 ${media}` : line];
    const [, id, version] = /^o=\S+ (\S+) (\S+) /.exec(line) ?? [];
    if (id === undefined || version === undefined) return [line];
    return [`o=- ${id} ${version} IN ${isIPv6(host) ? 'IP6' : 'IP4'} ${host}`];
  });
  return lines.join('\r\n');
}

export function isPrivateAddress(address: string): boolean {
  return address.replace(PRIVATE, '') === '';
}
