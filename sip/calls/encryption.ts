import type { SipSecurity } from '../../core/model/sip-security.js';
import type { SipTransport } from '../../core/model/sip-uri.js';

/** Whether nobody on the way can read what is sent. */
export function isPrivate(transport: SipTransport): boolean {
  return transport === 'tls' || transport === 'wss';
}

/**
 * Whether an offer may be passed on: keys of encrypted audio (SDES, RFC 4568) only by a private transport, and plain
 * audio only where encryption is not required.
 * @param sdp empty if the engine makes the offer, which is encrypted where that is required
 */
export function isAcceptable(sdp: string, transport: SipTransport, mode: SipSecurity['phones']): boolean {
  const hasKeys = /^a=crypto:/m.test(sdp);
  if (hasKeys && !isPrivate(transport)) return false;
  return mode !== 'required' || sdp === '' || hasKeys || /^a=fingerprint:/m.test(sdp);
}
