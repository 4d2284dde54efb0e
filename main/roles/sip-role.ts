import { lookup } from 'node:dns/promises';
import { optionsProbe } from '../../adapters/sip/options-probe.js';
import { LIVE_KINDS } from '../../core/model/engine-kinds.js';
import { within } from '../../core/ports/clock.js';
import type { Closers } from '../../core/services/runtime/closers.js';
import type { EdgeServer } from '../../sip/server.js';
import type { Infrastructure } from '../wiring/infrastructure.js';

/** How long a start waits for drachtio-server. */
const CONNECTS_WITHIN_MS = 5_000;

/** Starts the role `sip`, which serves the SIP edge. It has nothing to do while phones reach the engines directly. */
export async function startSipRole(infrastructure: Infrastructure, closers: Closers): Promise<EdgeServer | null> {
  const { settings, stores, cipher, sipMemory: memory, metrics, clock, log } = infrastructure;
  const { SIP_EDGE, DRACHTIO_HOST: host, DRACHTIO_PORT: port, DRACHTIO_SECRET: secret } = settings;
  if (SIP_EDGE === 'direct' || secret === undefined) return null;
  // Loaded only where it is used.
  const edge = await import('../../sip/server.js');
  const server = new edge.EdgeServer({
    drachtio: { host, port, secret },
    algorithms: settings.SIP_DIGESTS,
    agentByAor: (aor) => stores.directory.agentByAor(aor),
    contacts: stores.sipContacts,
    lockouts: stores.sipLockouts,
    networks: stores.sipNetworks,
    engines: () => stores.engines.offers(LIVE_KINDS),
    trunks: () => stores.trunks.list(),
    resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
    observeLockout: ({ kind, reason }) => metrics.sipLockout(kind, reason),
    ...{ cipher, memory, clock, log: log.child({ role: 'sip' }) },
    probe: optionsProbe,
  });
  closers.addTolerant(() => server.stop());
  await server.start();
  // A phone that registers as soon as the platform is up must be accepted.
  await within(CONNECTS_WITHIN_MS, server.connected()).catch(() => {
    log.warn({ host, port }, 'drachtio-server cannot be reached; the SIP edge serves as soon as it can');
  });
  return server;
}
