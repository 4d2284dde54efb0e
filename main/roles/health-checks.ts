import type { HealthChecks } from '../../api/routes/platform/health.js';
import { AcmeCertificates } from '../../core/data/repositories/certificates/certificates.js';
import { systemClock } from '../../core/ports/clock.js';
import { EDGE_ALIVE } from '../../core/ports/sip/memory.js';
import { certificateState } from '../../core/services/certificates/state.js';
import { overallState } from '../../core/services/trunks/trunks.js';
import { isTelephony } from '../../core/model/engine-kinds.js';
import type { Infrastructure } from '../wiring/infrastructure.js';

/** Checks the current health of each part, for `/v1/health`, the probes and the metrics. */
export function healthChecks({
  stores,
  redis,
  sipEdge,
  sipMemory,
  ice,
}: Pick<Infrastructure, 'stores' | 'redis' | 'sipEdge' | 'sipMemory' | 'ice'>): HealthChecks {
  return {
    database: async () => (await stores.db.query('SELECT 1'), 'up'),
    redis: async () => (await redis.ping(), 'up'),
    engines: async () =>
      // The sandbox's simulator carries no telephone calls, so it says nothing about the health of the service.
      (await stores.engines.list())
        .filter(({ kind }) => isTelephony(kind))
        .map(({ id, kind, status, sip_status: sip, leased }) => {
          return { id, kind, status: leased && sip !== 'down' ? status : 'unreachable' };
        }),
    trunks: async () => {
      const states = await stores.trunkStates.list();
      const ids = new Set(states.map(({ trunk_id }) => trunk_id));
      return [...ids].map((id) => ({ id, status: overallState(states.filter(({ trunk_id }) => trunk_id === id)) }));
    },
    sip: async () => {
      if (sipEdge.address !== null && (await sipMemory.read(EDGE_ALIVE)) === null) return 'down';
      const engines = (await stores.engines.list()).filter(({ kind }) => isTelephony(kind));
      if (engines.length === 0) return 'off';
      return engines.some(({ leased, status, sip_status: sip }) => leased && status === 'up' && sip !== 'down')
        ? 'up'
        : 'down';
    },
    turn: async () => {
      const relays = await ice.relays();
      if (relays.length === 0) return 'off';
      return relays.some(({ isUp }) => isUp) ? 'up' : 'down';
    },
    certificate: () => certificateState(new AcmeCertificates(stores.db), systemClock.now()),
  };
}
