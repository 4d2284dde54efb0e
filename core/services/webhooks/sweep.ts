import type { Database } from '../../data/database.js';
import { deferBlocked, lanesDue } from '../../data/repositories/webhooks/webhook-lanes.js';
import type { Clock } from '../../ports/clock.js';
import type { PeriodicTask } from '../runtime/periodic-task.js';

export interface SweepOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Work on a lane in this process. */
  readonly wake: (lane: string) => void;
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
export class WebhookSweep implements PeriodicTask {
  readonly name = 'webhook sweep';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = REST_FACTOR;
  /** Lanes that were due at the last sweep: if they still are, something may be in the way. */
  #before: ReadonlySet<string> = new Set();

  constructor(private readonly options: SweepOptions) {}

  /** One look. @throws DatabaseUnavailable */
  async run(): Promise<void> {
    const { db, clock, wake } = this.options;
    const now = clock.now();
    const due = await lanesDue(db, now);
    const stuck = due.filter((lane) => this.#before.has(lane));
    this.#before = new Set(due);
    if (stuck.length > 0) await deferBlocked(db, stuck, now, new Date(now.getTime() + DEFER_MS));
    for (const lane of due) wake(lane);
  }
}
