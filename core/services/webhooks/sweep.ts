import type { Database } from '../../data/database.js';
import { deferBlocked, lanesDue } from '../../data/repositories/webhooks/webhook-lanes.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface SweepOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Starts work on a lane in this process. */
  readonly wake: (lane: string) => void;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1_000;
/** An event that waits for an earlier one of its call is checked again at the latest after this time. */
const DEFER_MS = 60_000;
/** Makes slow sweeps run less often. */
const REST_FACTOR = 10;

/**
 * Looks for due lanes in PostgreSQL and works on them in this process: due retries, events committed while Redis was
 * unavailable, and deliveries claimed by a killed process. Does not need Redis.
 */
export class WebhookSweep {
  readonly #regular: PeriodicWork;
  /** Lanes that were due at the previous sweep: if they still are, something may be blocking them. */
  #previouslyDue: ReadonlySet<string> = new Set();

  constructor(private readonly options: SweepOptions) {
    const { clock, log, intervalMs: everyMs = INTERVAL_MS } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'the webhook sweep failed; will retry');
    this.#regular = new PeriodicWork({ work: () => this.sweep(), everyMs, restFactor: REST_FACTOR, clock, onFailure });
  }

  start(): void {
    this.#regular.start();
  }

  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** Runs one sweep. @throws DatabaseUnavailable */
  async sweep(): Promise<void> {
    const { db, clock, wake } = this.options;
    const now = clock.now();
    const due = await lanesDue(db, now);
    const stuck = due.filter((lane) => this.#previouslyDue.has(lane));
    this.#previouslyDue = new Set(due);
    if (stuck.length > 0) await deferBlocked(db, stuck, now, new Date(now.getTime() + DEFER_MS));
    for (const lane of due) wake(lane);
  }
}
