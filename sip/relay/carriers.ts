import { parseSipUri, type SipTransport } from '../../core/model/sip-uri.js';
import { hostPort } from '../../core/model/host-port.js';
import type { HeaderFields } from '../message/request.js';
import type { SipText } from '../message/text.js';
import { isPrivateAddress } from './hiding.js';
import { PARAMETER, tokenIn } from './step.js';
import type { Tokens } from './tokens.js';

/** The address of a carrier as drachtio-server sends to it: it takes another transport for one that names none. */
export function withTransport(uri: string, transport: SipTransport): string {
  return parseSipUri(uri)?.transport === null ? `${uri};transport=${transport}` : uri;
}

/**
 * Where later requests for the carrier's contact go, if the contact alone does not lead there: it is a private address
 * behind the public one that was called, or names no transport in a call over TCP or TLS.
 * @param called the address to which the call went
 * @returns empty for a contact that is used as it is
 */
export function carrierFlow(contact: string, called: string): string {
  const [to, at] = [parseSipUri(contact), parseSipUri(called)];
  if (to?.scheme !== 'sip' || !at) return '';
  const isBehindNat = isPrivateAddress(to.host) && !isPrivateAddress(at.host);
  const transport = to.transport ?? at.transport ?? 'udp';
  if (!isBehindNat && (to.transport !== null || transport === 'udp')) return '';
  const { host, port } = isBehindNat ? at : to;
  const shown = hostPort({ host, port: port ?? (transport === 'tls' ? 5061 : 5060) });
  return `sip:${to.user === null ? '' : `${to.user}@`}${shown};transport=${isBehindNat ? (at.transport ?? 'udp') : transport}`;
}

const [SERVER, PROXY] = ['Authorization', 'Proxy-Authorization'] as const;
/** Between values in a sealed text. */
const NEXT = '\t';

/**
 * Hides the credentials of a call from drachtio-server, in a parameter of `Content-Type`, which the edge takes off again.
 * drachtio-server would look at their nonce, and send the call where the one went that was challenged with that nonce:
 * for a carrier that gives several calls the same nonce, to another number.
 */
export function withHiddenCredentials(invite: SipText, tokens: Tokens): SipText {
  const type = invite.first('content-type');
  const valuesOf = (name: string): string => invite.all(name.toLowerCase()).join(NEXT);
  const [server, proxy] = [valuesOf(SERVER), valuesOf(PROXY)];
  if (type === null || server + proxy === '') return invite;
  const sealed = tokens.write('credentials', { type, server, proxy });
  return invite
    .with(SERVER, [])
    .with(PROXY, [])
    .with('Content-Type', [`${type};${PARAMETER}=${sealed}`]);
}

/** The fields that {@link withHiddenCredentials} changed, as the carrier gets them. */
export function hiddenCredentials(contentType: string | null, tokens: Tokens): HeaderFields {
  const hidden = tokens.read('credentials', tokenIn(contentType ?? undefined));
  if (hidden === null) return {};
  const { type, server, proxy } = hidden;
  return {
    'Content-Type': type,
    ...(server !== '' && { [SERVER]: server.split(NEXT) }),
    ...(proxy !== '' && { [PROXY]: proxy.split(NEXT) }),
  };
}
