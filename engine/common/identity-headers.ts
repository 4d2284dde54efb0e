import { isIPv6 } from 'node:net';
import type { Identity } from '../../core/ports/engine.js';
import type { Trunk } from '../../core/ports/engine/peers.js';

/** The headers of an INVITE that identify the caller to a carrier, by name. */
export function identityHeaders(
  { asserted, isPrivate }: Identity,
  { host }: Pick<Trunk, 'host'>,
): Record<string, string> {
  const domain = isIPv6(host) ? `[${host}]` : host;
  return {
    ...(asserted !== null && { 'P-Asserted-Identity': `<sip:${asserted}@${domain}>` }),
    ...(isPrivate && { Privacy: 'id' }),
  };
}
