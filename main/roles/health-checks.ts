import type { HealthChecks } from '../../api/routes/platform/health.js';
import { AcmeCertificates } from '../../core/data/repositories/certificates/certificates.js';
import { systemClock } from '../../core/ports/clock.js';
import { certificateState } from '../../core/services/certificates/state.js';
import { overallState } from '../../core/services/trunks/trunks.js';
import { isTelephony } from '../../core/model/engine-kinds.js';
import type { Infrastructure } from '../wiring/infrastructure.js';

/** Checks the current health of each part, for `/v1/health`, the probes and the metrics. */
export function healthChecks({ stores, redis }: Pick<Infrastructure, 'stores' | 'redis'>): HealthChecks {
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
    // Phones and carriers reach the engines themselves.
    sip: async () => {
      const engines = (await stores.engines.list()).filter(({ kind }) => isTelephony(kind));
      if (engines.length === 0) return 'off';
      return engines.some(({ leased, status, sip_status: sip }) => leased && status === 'up' && sip !== 'down')
        ? 'up'
        : 'down';
    },
    certificate: () => certificateState(new AcmeCertificates(stores.db), systemClock.now()),
  };
}
