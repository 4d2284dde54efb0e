import type { Settings } from '../../config/settings.js';
import { parseHostPort, type HostPort } from '../../core/model/host-port.js';
import type { SessionTimers } from '../../engine/asterisk/sip/pjsip-objects.js';

/** Where Homer takes HEP, by its own default. */
const HOMER_PORT = 9060;

interface Homer extends HostPort {
  readonly captureId: number;
  readonly password?: string;
}

/** How often any engine's calls are refreshed. */
export function sessionTimers(settings: Settings): SessionTimers {
  return { expiresSeconds: settings.SIP_SESSION_EXPIRES_SECONDS, minSeconds: settings.SIP_SESSION_MIN_SECONDS };
}

/** Where any engine sends copies of its SIP messages; nothing when no Homer is set. */
export function homer({ HEP_ADDRESS, HEP_CAPTURE_ID, HEP_PASSWORD }: Settings): { readonly hep?: Homer } {
  if (HEP_ADDRESS === undefined) return {};
  const at = parseHostPort(HEP_ADDRESS, 'HEP_ADDRESS', HOMER_PORT);
  return { hep: { ...at, captureId: HEP_CAPTURE_ID, ...(HEP_PASSWORD !== undefined && { password: HEP_PASSWORD }) } };
}
