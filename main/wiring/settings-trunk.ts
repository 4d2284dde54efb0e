import { isIP } from 'node:net';
import type { Settings } from '../../config/settings.js';
import { parseSipUri } from '../../core/model/sip-uri.js';
import type { TrunkService, TrunkView } from '../../core/services/trunks/trunks.js';

/** Name of the trunk that SIP_TRUNK_URI describes; other trunks are managed by command. */
const NAME = 'SIP_TRUNK_URI';

/** Makes the default trunk match the settings; removes it if the setting is gone. */
export async function applyTrunkSetting(settings: Settings, trunks: TrunkService): Promise<void> {
  const present = (await trunks.list()).find((trunk) => trunk.name === NAME);
  const uri = settings.SIP_TRUNK_URI;
  if (uri === undefined) {
    if (present) await trunks.remove(NAME);
    return;
  }
  if (present && isSame(present, uri, settings)) return;
  if (present) await trunks.remove(NAME);
  const { SIP_TRUNK_USERNAME: username, SIP_TRUNK_PASSWORD: password } = settings;
  await trunks.add({
    name: NAME,
    uri,
    inboundAddresses: inboundOf(uri),
    isDefault: true,
    ...(username === undefined || password === undefined ? {} : { credentials: { username, password } }),
  });
}

/** A password cannot be compared with the encrypted one: with credentials the trunk is replaced at each start. */
function isSame(trunk: TrunkView, uri: string, settings: Settings): boolean {
  const way = parseSipUri(uri);
  return (
    settings.SIP_TRUNK_USERNAME === undefined &&
    trunk.username === null &&
    trunk.is_default &&
    trunk.host === way?.host &&
    trunk.port === (way.port ?? trunk.port) &&
    trunk.transport === (way.transport ?? 'udp') &&
    trunk.inbound_addresses.join() === inboundOf(uri).join()
  );
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
