import { stunProbe } from '../../adapters/turn/stun-probe.js';
import type { Settings } from '../../config/settings.js';
import type { Clock } from '../../core/ports/clock.js';
import { IceServers } from '../../core/services/web-calling/ice-servers.js';
import type { Parts } from '../install/parts.js';

/**
 * The TURN and STUN servers of the settings, and the one that this process runs, which browsers also reach by TCP: a
 * network that lets no UDP out needs it most.
 */
export function openIceServers(
  settings: Pick<Settings, 'TURN_SERVERS' | 'TURN_SECRET'>,
  { turn }: Pick<Parts, 'turn'>,
  clock: Pick<Clock, 'monotonicMs'>,
): IceServers {
  const own = turn === null ? [] : [turn.url, `${turn.url}?transport=tcp`];
  return new IceServers({
    servers: [...settings.TURN_SERVERS, ...own.map((url) => ({ url, region: null }))],
    secret: settings.TURN_SECRET ?? turn?.secret ?? null,
    probe: stunProbe,
    clock,
  });
}
