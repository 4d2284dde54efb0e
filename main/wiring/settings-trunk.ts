import { isIP } from 'node:net';
import type { Settings } from '../../config/settings.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import type { TrunkService } from '../../core/services/trunks/trunks.js';

/** Name of the trunk that SIP_TRUNK_URI describes; other trunks are managed by command. */
const NAME = 'SIP_TRUNK_URI';

/**
 * Makes the default trunk match the settings; removes it if the setting is gone. What the settings do not say (capacity,
 * rules, routes) stays as the operator set it.
 */
export async function applyTrunkSetting(settings: Settings, trunks: TrunkService): Promise<void> {
  const present = (await trunks.list()).some((trunk) => trunk.name === NAME);
  const { SIP_TRUNK_URI: uri, SIP_TRUNK_USERNAME: username, SIP_TRUNK_PASSWORD: password } = settings;
  if (uri === undefined) {
    if (present) await trunks.remove(NAME, 'settings');
    return;
  }
  const hasCredentials = username !== undefined && password !== undefined;
  const credentials = hasCredentials ? { username, password } : null;
  const trunk = { uri, inboundAddresses: inboundOf(uri), isDefault: true, credentials };
  if (!present) await trunks.add({ name: NAME, ...trunk }, 'settings');
  // Without credentials there is nothing to register with.
  else await trunks.change(NAME, { ...trunk, ...(!hasCredentials && { registers: false }) }, 'settings');
}

/**
 * Over UDP a carrier sends from the port on which it listens; the port tells a trunk from softphones at the same
 * address.
 */
function inboundOf(uri: string): string[] {
  const way = parseSipUri(uri);
  if (!way || isIP(way.host) === 0) return [];
  return [(way.transport ?? 'udp') === 'udp' ? `${way.host}:${way.port ?? 5060}` : way.host];
}
