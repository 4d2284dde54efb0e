import { Gauge, type Registry } from 'prom-client';
import type { EngineWithLease } from '../core/data/repositories/engines/engines.js';
import type { WebhookBacklog } from '../core/data/repositories/webhooks/webhook-backlog.js';
import { within } from '../core/ports/clock.js';
import { cachedFor } from '../core/services/health/cached-for.js';
import type { HealthChecks } from '../api/routes/platform/health.js';
import { VERSION } from './version.js';

export interface PartMetricsOptions {
  readonly registry: Registry;
  readonly checks: Pick<HealthChecks, 'database' | 'redis'>;
  /** All of the installation, as the database knows them. */
  readonly engines: () => Promise<readonly EngineWithLease[]>;
  /** Null where this process delivers no webhooks. */
  readonly backlog: (() => Promise<WebhookBacklog>) | null;
  readonly isStopping: () => boolean;
}

/** A part that takes longer to answer than this is away. */
const PATIENCE_MS = 2_000;
/** Metrics that are read together tell of one look. */
const FRESH_MS = 500;

/**
 * How the parts are, looked at whenever the metrics are read. What the database knows is left out while it is away, rather than told as it
 * once was.
 */
export function registerPartMetrics(options: PartMetricsOptions): void {
  const { registry, checks, isStopping, backlog } = options;
  const registers = [registry];
  const database = look(async () => (await checks.database()) === 'up');
  const redis = look(async () => (await checks.redis()) === 'up');
  const engines = look(options.engines);
  new Gauge({
    name: 'hatif_build_info',
    help: 'Always 1; the version that runs.',
    labelNames: ['version'],
    registers,
  }).set({ version: VERSION }, 1);
  new Gauge({
    name: 'hatif_part_up',
    help: 'Whether the part answers this process: 1 or 0.',
    labelNames: ['part'],
    registers,
    async collect() {
      this.set({ part: 'database' }, asNumber(await database()));
      this.set({ part: 'redis' }, asNumber(await redis()));
    },
  });
  new Gauge({
    name: 'hatif_ready',
    help: 'Whether this process takes requests, as /readyz tells it: 1 or 0.',
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
  perEngine('hatif_engine_up', 'Whether the engine has an owner that reaches it: 1 or 0.', ({ leased, status }) => {
    return leased && status === 'up';
  });
  perEngine('hatif_engine_draining', 'Whether the engine is being emptied: 1 or 0.', ({ draining }) => draining);
  perEngine(
    'hatif_engine_sip_up',
    'Whether the engine answers SIP, as its owner sees it: 1 or 0; 1 where nobody looks.',
    ({ sip_status: sip }) => sip !== 'down',
  );
  if (backlog) registerBacklog(registry, look(backlog));
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
    'Webhooks that are neither delivered nor given up, those that wait for their next attempt too.',
    ({ pending }) => pending,
  );
  gauge(
    'hatif_webhook_oldest_due_seconds',
    'For how long the webhook that is due for longest has been due.',
    ({ oldestDueSeconds }) => oldestDueSeconds,
  );
}

function asNumber(holds: boolean | null): number {
  return holds === true ? 1 : 0;
}

/** A look that is shared by those who ask within a moment; null for what is not found in time. */
function look<T>(at: () => Promise<T>): () => Promise<T | null> {
  return cachedFor(FRESH_MS, () => within(PATIENCE_MS, at()).catch(() => null));
}
