import type { Database } from '../../data/database.js';
import { deferBlocked, lanesDue } from '../../data/repositories/webhooks/webhook-lanes.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface SweepOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Work on a lane in this process. */
  readonly wake: (lane: string) => void;
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1_000;
/** Where an event waits for an earlier one of its call, it is looked at again after so long at the latest. */
const DEFER_MS = 60_000;
/** A sweep that takes long is made less often. */
const REST_FACTOR = 10;

/**
 * Looks through PostgreSQL for lanes with something due and works on them in this process: retries whose time has come, what was committed
 * while Redis was away, what a killed process had claimed. It needs no Redis.
 */
export class WebhookSweep {
  readonly #regular: PeriodicWork;
  /** Lanes that were due at the last sweep: if they still are, something may be in the way. */
  #before: ReadonlySet<string> = new Set();

  constructor(private readonly options: SweepOptions) {
    const { clock, log, intervalMs: everyMs = INTERVAL_MS } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'the sweep for due webhooks failed; it is made again');
    this.#regular = new PeriodicWork({ work: () => this.sweep(), everyMs, restFactor: REST_FACTOR, clock, onFailure });
  }

  start(): void {
    this.#regular.start();
  }

  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** One look. @throws DatabaseUnavailable */
  async sweep(): Promise<void> {
    const { db, clock, wake } = this.options;
    const now = clock.now();
    const due = await lanesDue(db, now);
    const stuck = due.filter((lane) => this.#before.has(lane));
    this.#before = new Set(due);
    if (stuck.length > 0) await deferBlocked(db, stuck, now, new Date(now.getTime() + DEFER_MS));
    for (const lane of due) wake(lane);
  }
}
