import { hostPort, type HostPort } from '../../core/model/host-port.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import { parseNameAddress } from '../message/name-address.js';
import { SipText, type Field } from '../message/text.js';
import type { Seal } from './seal.js';
import type { Token, Tokens } from './tokens.js';

/** A message on its way. */
export interface Outgoing {
  readonly message: SipText;
  readonly to: HostPort;
}

/** What both directions need. */
export interface RelayContext {
  readonly seal: Pick<Seal, 'branchOf'>;
  readonly tokens: Tokens;
  /** Where engines reach the relay. */
  readonly inside: HostPort;
  /** Where drachtio-server reaches it. This address is seen outside: in contacts of engines, which it stands for. */
  readonly outside: HostPort;
}

/** The parameter of an address, `Via` or `Content-Type` that holds a token. */
export const PARAMETER = 'h';
const TOKEN = new RegExp(`;${PARAMETER}=([\\w-]+)`);

export function viaOf(at: HostPort, branch: string, token: string): string {
  return `SIP/2.0/UDP ${hostPort(at)};branch=${branch};rport;${PARAMETER}=${token}`;
}

/** The token in a `Via`, `Route`, `Record-Route` or `Content-Type` of the relay; null in that of others. */
export function tokenIn(field: string | undefined): string | null {
  return field === undefined ? null : (TOKEN.exec(field)?.[1] ?? null);
}

export function routeOf(at: HostPort, token: string): string {
  return `<sip:${hostPort(at)};lr;${PARAMETER}=${token}>`;
}

/** The branch of a request that is passed on without a memory: the same for each repetition (RFC 3261 §16.11). */
export function branchFor(message: SipText, { seal }: Pick<RelayContext, 'seal'>): string {
  const [via = ''] = message.all('via');
  const [, branch = via] = /;\s*branch=([^;\s,]+)/i.exec(via) ?? [];
  const method = message.method === 'CANCEL' || message.method === 'ACK' ? 'INVITE' : message.method;
  return seal.branchOf([branch, message.first('call-id'), method].join(' '));
}

/** The token that is the user part of an address. */
export function userOf(uri: string): string | null {
  return /^sips?:([\w-]+)@/i.exec(uri)?.[1] ?? null;
}

/** The host and port of a SIP address, for UDP. */
export function addressOf(uri: string): HostPort | null {
  const parsed = parseSipUri(uri);
  return parsed && { host: parsed.host, port: parsed.port ?? 5060 };
}

/** In place of the contact of an engine: an address that only the relay knows. Empty without one. */
export function hiddenContact(
  message: SipText,
  near: Token<'contact'>['near'],
  { tokens, outside }: RelayContext,
): readonly string[] {
  const uri = parseNameAddress(message.first('contact') ?? '')?.uri;
  return uri === undefined ? [] : [`<sip:${tokens.write('contact', { uri, near })}@${hostPort(outside)}>`];
}

/** One hop less; null if there is none left. */
export function oneHopLess(message: SipText): SipText | null {
  const hops = Number(message.first('max-forwards') ?? '70');
  if (!(hops > 0)) return null;
  return message.with('Max-Forwards', [String(Math.min(hops, 255) - 1)]);
}

/** A response of the relay or of the edge itself (RFC 3261 §8.2.6). */
export function replyTo(request: SipText, status: number, reason: string, fields: readonly Field[] = []): SipText {
  const copied = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].flatMap((name) =>
    request.all(name.toLowerCase()).map((value): Field => [name, value]),
  );
  return SipText.of(`SIP/2.0 ${status} ${reason}`, [...copied, ...fields]);
}
