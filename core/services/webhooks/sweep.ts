import type { Database } from '../../data/database.js';
import { deferBlocked, lanesDue } from '../../data/repositories/webhooks/webhook-lanes.js';
import type { Clock } from '../../ports/clock.js';
import type { PeriodicTask } from '../runtime/periodic-task.js';

export interface SweepOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Starts work on a lane in this process. */
  readonly wake: (lane: string) => void;
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
export class WebhookSweep implements PeriodicTask {
  readonly name = 'webhook sweep';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = REST_FACTOR;
  /** Lanes that were due at the previous sweep: if they still are, something may be blocking them. */
  #previouslyDue: ReadonlySet<string> = new Set();

  constructor(private readonly options: SweepOptions) {}

  /** Runs one sweep. @throws DatabaseUnavailable */
  async run(): Promise<void> {
    const { db, clock, wake } = this.options;
    const now = clock.now();
    const due = await lanesDue(db, now);
    const stuck = due.filter((lane) => this.#previouslyDue.has(lane));
    this.#previouslyDue = new Set(due);
    if (stuck.length > 0) await deferBlocked(db, stuck, now, new Date(now.getTime() + DEFER_MS));
    for (const lane of due) wake(lane);
  }
}
