import type { HealthChecks } from '../../api/routes/platform/health.js';
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
    // There is no SIP edge in front of the engines yet: phones register at the engine itself.
    sip: () => Promise.resolve('off'),
  };
}
