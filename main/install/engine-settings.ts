import type { Settings } from '../../config/settings.js';
import { parseHostPort, type HostPort } from '../../core/model/host-port.js';
import type { SipSecurity } from '../../core/model/sip-security.js';
import type { SessionTimers } from '../../engine/asterisk/sip/pjsip-objects.js';

/** Homer's default port for HEP. */
const HOMER_PORT = 9060;

interface Homer extends HostPort {
  readonly captureId: number;
  readonly password?: string;
}

/** Session timers (RFC 4028), the same for every engine. */
export function sessionTimers(settings: Settings): SessionTimers {
  return { expiresSeconds: settings.SIP_SESSION_EXPIRES_SECONDS, minSeconds: settings.SIP_SESSION_MIN_SECONDS };
}

/** Encryption of signalling and audio, the same for every engine. */
export function sipSecurity({ SIP_PHONE_TRANSPORT, SIP_PHONE_SRTP, SIP_TRUNK_SRTP }: Settings): SipSecurity {
  return { phonesNeedTls: SIP_PHONE_TRANSPORT === 'tls', phones: SIP_PHONE_SRTP, trunks: SIP_TRUNK_SRTP };
}

/** The Homer to which engines send copies of SIP messages; empty if none is set. */
export function homer({ HEP_ADDRESS, HEP_CAPTURE_ID, HEP_PASSWORD }: Settings): { readonly hep?: Homer } {
  if (HEP_ADDRESS === undefined) return {};
  const at = parseHostPort(HEP_ADDRESS, 'HEP_ADDRESS', HOMER_PORT);
  return { hep: { ...at, captureId: HEP_CAPTURE_ID, ...(HEP_PASSWORD !== undefined && { password: HEP_PASSWORD }) } };
}
