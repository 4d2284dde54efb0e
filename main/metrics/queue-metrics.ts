import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { QueueRow } from '../../core/data/rows.js';
import { within, type Clock } from '../../core/ports/clock.js';
import { cachedFor } from '../../core/services/health/cached-for.js';
import type { QueueCoordinator, QueueObserver } from '../../core/services/queues/coordinator.js';
import { figuresOf, type QueueFigures } from '../../core/services/queues/figures.js';

export interface QueueGaugeOptions {
  readonly registry: Registry;
  readonly queues: () => Promise<readonly QueueRow[]>;
  readonly coordinator: Pick<QueueCoordinator, 'known'>;
  readonly clock: Clock;
}

const PATIENCE_MS = 2_000;
/** Metrics of one scrape share one query. */
const FRESH_MS = 500;

const LABELS = ['project', 'queue'] as const;

/** Counts this process's decisions about queues. The labels of a queue are its project's id and its name. */
export function queueObserver(registry: Registry, queue: (id: string) => Promise<QueueRow | null>): QueueObserver {
  const registers = [registry];
  const offers = new Counter({
    name: 'hatif_queue_offers_total',
    help: 'Offers of callers and callbacks to agents.',
    labelNames: LABELS,
    registers,
  });
  const ended = new Counter({
    name: 'hatif_queue_waits_ended_total',
    help: 'Waits that ended, by outcome: answered, abandoned, max_wait, full, queue_removed.',
    labelNames: [...LABELS, 'outcome'],
    registers,
  });
  const latency = new Histogram({
    name: 'hatif_queue_dispatch_seconds',
    help: 'Time from a queue event’s arrival in this process until the decisions about it are stored.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
    registers,
  });
  return {
    decided(decisions, tookMs) {
      latency.observe(tookMs / 1000);
      for (const decision of decisions) {
        if (decision.type !== 'offer' && decision.type !== 'ended_wait') continue;
        void queue(decision.queueId)
          .then((row) => {
            if (!row) return;
            const labels = { project: row.project_id, queue: row.name };
            if (decision.type === 'offer') offers.inc(labels);
            else ended.inc({ ...labels, outcome: decision.outcome });
          })
          // The database is unavailable: a metric is not worth an error.
          .catch(() => undefined);
      }
    },
  };
}

/** Registers gauges of the queues, read at each scrape; absent while the database is unavailable. */
export function registerQueueGauges({ registry, queues, coordinator, clock }: QueueGaugeOptions): void {
  const all = cachedFor(FRESH_MS, () => within(PATIENCE_MS, queues()).catch(() => []));
  const gauge = (
    name: string,
    help: string,
    labels: readonly string[],
    set: (gauge: Gauge, of: Readonly<Record<'project' | 'queue', string>>, figures: QueueFigures) => void,
  ): void => {
    new Gauge({
      name,
      help,
      labelNames: [...LABELS, ...labels],
      registers: [registry],
      async collect() {
        const rows = await all();
        this.reset();
        for (const { id, project_id: project, name: queue } of rows) {
          const dispatcher = coordinator.known(project);
          if (dispatcher) set(this, { project, queue }, figuresOf(dispatcher, id, clock.now()));
        }
      },
    });
  };
  gauge('hatif_queue_waiting', 'Waiting callers and callbacks.', [], (it, of, { waiting }) => it.set(of, waiting));
  gauge(
    'hatif_queue_longest_wait_seconds',
    'Time that the longest waiting caller or callback has waited.',
    [],
    (it, of, now) => it.set(of, now.longestWaitMs / 1000),
  );
  gauge('hatif_queue_agents', 'Signed-in agents, by state, and paused ones.', ['state'], (it, of, { agents }) => {
    for (const [state, count] of Object.entries(agents)) it.set({ ...of, state }, count);
  });
}
