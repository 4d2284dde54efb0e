import { isIPv4, isIPv6 } from 'node:net';

export const SIP_TRANSPORTS = ['udp', 'tcp', 'tls', 'ws', 'wss'] as const;
export type SipTransport = (typeof SIP_TRANSPORTS)[number];

export interface SipUri {
  readonly scheme: 'sip' | 'sips';
  readonly user: string | null;
  /** A host name in lower case, an IPv4 address, or an IPv6 address without its brackets. */
  readonly host: string;
  readonly port: number | null;
  readonly transport: SipTransport | null;
  /** The other URI parameters, names in lower case; null for one without a value. */
  readonly parameters: Readonly<Record<string, string | null>>;
}

const LONGEST = 255;
/**
 * RFC 3261 §25.1 minus the characters that engines interpret in a dial string (`&` `,` `;` `/` `$`
 * …) and minus escaped control characters.
 */
const USER = /^(?:[\w.!~*+-]|%(?:[2-689a-f][0-9a-f]|7[0-9a-e]))+$/i;
const PARAMETER = /^(?:[\w.!~*+:-]|%(?:[2-689a-f][0-9a-f]|7[0-9a-e]))+$/i;
const HOSTNAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\.?$/i;
const WHOLE = /^(sips?):(?:([^@]*)@)?(\[[^\]]*\]|[^:;?@[\]]+)(?::(\d{1,5}))?((?:;[^;?@]*)*)$/i;

/**
 * Parses a `sip:` or `sips:` URI (RFC 3261 §19.1), or returns null. Stricter than the RFC: a
 * destination needs no password, headers (`?Subject=`) or unusual punctuation, so they are refused,
 * and so is UDP with `sips:`.
 */
export function parseSipUri(text: string): SipUri | null {
  if (text.length > LONGEST) return null;
  const [, scheme, user, rawHost, rawPort, tail] = WHOLE.exec(text) ?? [];
  if (scheme === undefined || rawHost === undefined || tail === undefined) return null;
  const secure = scheme.toLowerCase() === 'sips';
  const host = parseHost(rawHost);
  const port = rawPort === undefined ? null : Number(rawPort);
  const parameters = parseParameters(tail);
  if (host === null || parameters === null) return null;
  if (user !== undefined && !USER.test(user)) return null;
  if (port !== null && (port < 1 || port > 65535)) return null;
  const { transport: named, ...others } = parameters;
  const transport = named === undefined ? null : SIP_TRANSPORTS.find((known) => known === named?.toLowerCase());
  if (transport === undefined || (secure && transport === 'udp')) return null;
  return { scheme: secure ? 'sips' : 'sip', user: user ?? null, host, port, transport, parameters: others };
}

/** Formats the URI; `parseSipUri` parses it back to the same value. */
export function formatSipUri(uri: SipUri): string {
  const user = uri.user === null ? '' : `${uri.user}@`;
  const host = uri.host.includes(':') ? `[${uri.host}]` : uri.host;
  const port = uri.port === null ? '' : `:${uri.port}`;
  const parameters: SipUri['parameters'] = {
    ...(uri.transport === null ? {} : { transport: uri.transport }),
    ...uri.parameters,
  };
  const tail = Object.entries(parameters).map(([name, value]) => (value === null ? `;${name}` : `;${name}=${value}`));
  return `${uri.scheme}:${user}${host}${port}${tail.join('')}`;
}

function parseHost(text: string): string | null {
  if (text.startsWith('[')) {
    const address = text.slice(1, -1);
    return isIPv6(address) && !address.includes('%') ? address.toLowerCase() : null;
  }
  if (isIPv4(text)) return text;
  return HOSTNAME.test(text) ? text.toLowerCase() : null;
}

function parseParameters(tail: string): Record<string, string | null> | null {
  // Without a prototype, so that a parameter may have the name of one of its members.
  const parameters = Object.create(null) as Record<string, string | null>;
  for (const part of tail.split(';').slice(1)) {
    const [rawName = '', value, ...rest] = part.split('=');
    const name = rawName.toLowerCase();
    if (rest.length > 0 || !PARAMETER.test(name) || name in parameters) return null;
    if (value !== undefined && !PARAMETER.test(value)) return null;
    parameters[name] = value ?? null;
  }
  return parameters;
}
