import type { ApiObserver } from '../../api/http/deps.js';
import type { Settings } from '../../config/settings.js';
import { AcmeCertificates } from '../../core/data/repositories/certificates/certificates.js';
import { webhookBacklog } from '../../core/data/repositories/webhooks/webhook-backlog.js';
import { ClockWatch } from '../../core/services/health/clock-watch.js';
import type { Closers } from '../../core/services/runtime/closers.js';
import { RedisLegEnds } from '../../adapters/engines/redis-leg-ends.js';
import type { EdgeServer } from '../../sip/server.js';
import type { EngineRole } from '../engines/engine-role.js';
import { listening } from '../install/listening.js';
import { startMetricsServer } from '../metrics/metrics-server.js';
import { registerPartMetrics } from '../metrics/part-metrics.js';
import { registerQueueGauges } from '../metrics/queue-metrics.js';
import { TRUNK_WINDOW_HOURS } from '../metrics/trunk-metrics.js';
import { clockPeers } from '../wiring/clock-peers.js';
import type { Infrastructure } from '../wiring/infrastructure.js';
import type { Services } from '../wiring/services.js';
import { followAnnouncements } from './announcements.js';
import { startCertificates } from './certificates.js';
import { startApiRole, type ApiRole } from './api-role.js';
import { startEngineRole, type EngineStartOptions } from './engine-start.js';
import { healthChecks } from './health-checks.js';
import { startJobsRole } from './jobs-role.js';
import { showsCertificate } from './sip-certificate.js';
import { startSipRole } from './sip-role.js';

export interface RolesOptions extends Pick<EngineStartOptions, 'programs'> {
  /** For tests: watches the API's responses. */
  readonly observer?: ApiObserver;
  readonly isStopping: () => boolean;
}

/** Roles of this process that other components use; null if the process does not have the role. */
export interface Roles {
  readonly api: ApiRole | null;
  readonly engine: EngineRole | null;
}

/** The third step of a start: starts the roles of this process and the components that monitor them. */
export async function startRoles(
  infrastructure: Infrastructure,
  services: Services,
  options: RolesOptions,
  closers: Closers,
): Promise<Roles> {
  const { settings, parts, stores, metrics, clock, log } = infrastructure;
  const { queues } = services;
  const has = (role: Settings['HATIF_ROLES'][number]): boolean => settings.HATIF_ROLES.includes(role);

  const clocks = new ClockWatch({
    peers: clockPeers(stores, has('engine') ? parts.ari : null),
    clock,
    log,
    observe: (peer, seconds) => metrics.clockSkew(peer, seconds),
  });
  clocks.start();
  closers.add(() => clocks.stop());

  const checks = healthChecks(infrastructure);
  let edge: EdgeServer | null = null;
  registerPartMetrics({
    registry: metrics.registry,
    checks,
    engines: () => stores.engines.list(),
    trunks: () => stores.trunkStates.list(),
    trunkFigures: () => services.management.trunkFigures.of(TRUNK_WINDOW_HOURS),
    certificates: () => new AcmeCertificates(stores.db).list(clock.now()),
    backlog: has('jobs') ? () => webhookBacklog(stores.db) : null,
    isStopping: options.isStopping,
    ...(has('sip') &&
      settings.SIP_EDGE === 'drachtio' && {
        edge: {
          reachesDrachtio: () => edge?.isConnected === true,
          isRelaying: () => edge?.isRelaying === true,
          hasCertificate: () => showsCertificate(settings),
        },
      }),
  });
  const { HOST, METRICS_PORT: metricsPort } = settings;
  if (metricsPort !== undefined) {
    const stopMetrics = await listening({ HOST, port: { name: 'METRICS_PORT', value: metricsPort } }, () =>
      startMetricsServer(metrics.registry, HOST, metricsPort),
    );
    closers.add(stopMetrics);
  }

  await startCertificates(infrastructure, closers);
  if (has('jobs')) startJobsRole(infrastructure, services, closers);

  closers.add(() => queues.stop());
  const legEnds = new RedisLegEnds(infrastructure.redis);
  let engine: EngineRole | null = null;
  if (has('engine')) {
    queues.start();
    const { programs } = options;
    engine = await startEngineRole(infrastructure, services, { legEnds, ...(programs && { programs }) });
    closers.add(() => engine?.stop());
    // A process that owns engines follows all queues all the time.
    const { registry } = metrics;
    registerQueueGauges({ registry, queues: () => stores.queues.all(), coordinator: queues.coordinator, clock });
  }
  // After the engines of this process have their rows, by which the edge knows them.
  if (has('sip')) edge = await startSipRole(infrastructure, closers);
  followAnnouncements(infrastructure, services, engine);

  if (!has('api')) return { api: null, engine };
  const api = await startApiRole({
    ...infrastructure,
    ...services,
    callflows: services.callflows.service,
    payments: services.paying.payments,
    paymentAdministration: services.paying.administration,
    legEnds,
    checks,
    ...(options.observer && { observer: options.observer }),
  });
  closers.add(() => api.stop());
  return { api, engine };
}
