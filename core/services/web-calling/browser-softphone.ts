import type { WebSessionRow } from '../../data/rows.js';
import type { PushedSoftphone } from '../provisioning/softphones.js';

/** A browser, as engines get it. */
export function browserSoftphone({ aor, display_name, sip_password }: WebSessionRow): PushedSoftphone {
  return { aor, displayName: display_name, password: sip_password, isBrowser: true };
}
