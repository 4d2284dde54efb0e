import { Gauge, type Registry } from 'prom-client';
import type { EngineWithLease } from '../../core/data/repositories/engines/engines.js';
import type { TrunkStateRow } from '../../core/data/repositories/engines/trunk-states.js';
import type { AcmeCertificateRow } from '../../core/data/rows.js';
import type { WebhookBacklog } from '../../core/data/repositories/webhooks/webhook-backlog.js';
import { systemClock, within } from '../../core/ports/clock.js';
import { isSound } from '../../core/services/certificates/state.js';
import { cachedFor } from '../../core/services/health/cached-for.js';
import type { TrunkStatistics } from '../../core/services/trunks/figures.js';
import type { HealthChecks } from '../../api/routes/platform/health.js';
import { VERSION } from '../install/version.js';
import { registerTrunkFigures } from './trunk-metrics.js';

export interface PartMetricsOptions {
  readonly registry: Registry;
  readonly checks: Pick<HealthChecks, 'database' | 'redis'>;
  /** All engines of the installation, as stored in the database. */
  readonly engines: () => Promise<readonly EngineWithLease[]>;
  /** What engines find when they probe trunks. */
  readonly trunks: () => Promise<readonly TrunkStateRow[]>;
  /** The outcome of the outgoing calls through each trunk in the last time. */
  readonly trunkFigures: () => Promise<readonly TrunkStatistics[]>;
  /** The certificates that an authority issues. */
  readonly certificates: () => Promise<readonly AcmeCertificateRow[]>;
  /** Null if this process delivers no webhooks. */
  readonly backlog: (() => Promise<WebhookBacklog>) | null;
  readonly isStopping: () => boolean;
  /** How the SIP edge stands; absent if this process does not serve it. */
  readonly edge?: {
    readonly reachesDrachtio: () => boolean;
    readonly isRelaying: () => boolean;
    /** Whether drachtio-server shows the certificate of the file; null without TLS, and if it does not answer. */
    readonly hasCertificate: () => Promise<boolean | null>;
  };
}

/** For how long it is known which certificate drachtio-server shows. */
const CERTIFICATE_FRESH_MS = 60_000;
/** A part that takes longer to answer counts as down. */
const PATIENCE_MS = 2_000;
/** Metrics of one scrape share one query. */
const FRESH_MS = 500;

/**
 * Registers gauges of the parts' health, read at each scrape. While the database is unavailable, gauges from it are
 * absent rather than outdated.
 */
export function registerPartMetrics(options: PartMetricsOptions): void {
  const { registry, checks, isStopping, backlog, edge } = options;
  const registers = [registry];
  const database = cached(async () => (await checks.database()) === 'up');
  const redis = cached(async () => (await checks.redis()) === 'up');
  const engines = cached(options.engines);
  new Gauge({
    name: 'hatif_build_info',
    help: 'Always 1; labelled with the running version.',
    labelNames: ['version'],
    registers,
  }).set({ version: VERSION }, 1);
  new Gauge({
    name: 'hatif_part_up',
    help: 'Whether this process can reach the part: 1 or 0.',
    labelNames: ['part'],
    registers,
    async collect() {
      this.set({ part: 'database' }, asNumber(await database()));
      this.set({ part: 'redis' }, asNumber(await redis()));
      if (edge) this.set({ part: 'drachtio' }, asNumber(edge.reachesDrachtio()));
    },
  });
  new Gauge({
    name: 'hatif_ready',
    help: 'Whether this process accepts requests, as /readyz: 1 or 0.',
    registers,
    async collect() {
      this.set(asNumber(!isStopping() && (await database())));
    },
  });
  const perEngine = (name: string, help: string, holds: (engine: EngineWithLease) => boolean): void => {
    new Gauge({
      name,
      help,
      labelNames: ['engine', 'kind'],
      registers,
      async collect() {
        const found = await engines();
        this.reset();
        for (const engine of found ?? []) this.set({ engine: engine.name, kind: engine.kind }, asNumber(holds(engine)));
      },
    });
  };
  perEngine('hatif_engine_owned', 'Whether some process owns the engine: 1 or 0.', ({ leased }) => leased);
  perEngine('hatif_engine_up', 'Whether the engine has an owner that can reach it: 1 or 0.', ({ leased, status }) => {
    return leased && status === 'up';
  });
  perEngine('hatif_engine_draining', 'Whether the engine drains: 1 or 0.', ({ draining }) => draining);
  perEngine(
    'hatif_engine_sip_up',
    'Whether the engine answers its owner’s SIP health checks: 1 or 0; 1 without checks.',
    ({ sip_status: sip }) => sip !== 'down',
  );
  const trunks = cached(options.trunks);
  new Gauge({
    name: 'hatif_trunk_up',
    help: 'Whether the trunk answers the engine’s probes: 1 or 0. Absent while unknown.',
    labelNames: ['trunk', 'engine'],
    registers,
    async collect() {
      const found = await trunks();
      this.reset();
      for (const { trunk, engine, state } of found ?? []) {
        if (state !== 'unknown') this.set({ trunk, engine }, asNumber(state === 'up'));
      }
    },
  });
  registerTrunkFigures(registry, cached(options.trunkFigures));
  registerCertificates(registry, cached(options.certificates));
  if (edge) registerEdge(registry, edge);
  if (backlog) registerBacklog(registry, cached(backlog));
}

function registerEdge(registry: Registry, edge: NonNullable<PartMetricsOptions['edge']>): void {
  const registers = [registry];
  new Gauge({
    name: 'hatif_sip_relay_serving',
    help: 'Whether this process relays between drachtio-server and the engines: 1 for one process of a machine, 0 for others.',
    registers,
    collect() {
      this.set(asNumber(edge.isRelaying()));
    },
  });
  const shown = cachedFor(CERTIFICATE_FRESH_MS, edge.hasCertificate);
  new Gauge({
    name: 'hatif_sip_edge_certificate_current',
    help: 'Whether drachtio-server shows the present certificate: 0 until it is restarted. Absent without TLS.',
    registers,
    async collect() {
      const isCurrent = await shown();
      this.reset();
      if (isCurrent !== null) this.set(asNumber(isCurrent));
    },
  });
}

function registerCertificates(
  registry: Registry,
  certificates: () => Promise<readonly AcmeCertificateRow[] | null>,
): void {
  const gauge = (name: string, help: string, of: (row: AcmeCertificateRow) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['names'],
      registers: [registry],
      async collect() {
        const found = await certificates();
        this.reset();
        for (const row of found ?? []) this.set({ names: row.names }, of(row));
      },
    });
  };
  gauge(
    'hatif_certificate_up',
    'Whether the certificate of an authority is valid and its renewal in time: 1 or 0.',
    (row) => asNumber(isSound(row, systemClock.now())),
  );
  gauge(
    'hatif_certificate_failures',
    'Attempts to get the certificate that failed since the last success.',
    ({ failures }) => failures,
  );
}

function registerBacklog(registry: Registry, backlog: () => Promise<WebhookBacklog | null>): void {
  const gauge = (name: string, help: string, of: (found: WebhookBacklog) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await backlog();
        if (found) this.set(of(found));
        else this.remove();
      },
    });
  };
  gauge(
    'hatif_webhook_deliveries_pending',
    'Webhooks that are neither delivered nor given up, including those that wait for a retry.',
    ({ pending }) => pending,
  );
  gauge(
    'hatif_webhook_oldest_due_seconds',
    'Time since the oldest due webhook became due.',
    ({ oldestDueSeconds }) => oldestDueSeconds,
  );
}

function asNumber(holds: boolean | null): number {
  return holds === true ? 1 : 0;
}

/** Caches a reading for a moment; null if it fails or takes too long. */
function cached<T>(at: () => Promise<T>): () => Promise<T | null> {
  return cachedFor(FRESH_MS, () => within(PATIENCE_MS, at()).catch(() => null));
}
