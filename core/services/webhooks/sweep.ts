import type { Database } from '../../data/database.js';
import { deferBlocked, lanesDue } from '../../data/repositories/webhook-lanes.js';
import type { Clock, Timer } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

export interface SweepOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  /** Work on a lane in this process. */
  readonly wake: (lane: string) => void;
  readonly intervalMs?: number;
}

/** Where an event waits for an earlier one of its call, it is looked at again after so long at the latest. */
const DEFER_MS = 60_000;
/** A sweep that takes long is made less often. */
const REST_FACTOR = 10;

/**
 * Looks through PostgreSQL for lanes with something due and works on them in this process: retries whose time has come, what was committed
 * while Redis was away, what a killed process had claimed. It needs no Redis.
 */
export class WebhookSweep {
  readonly #intervalMs: number;
  #timer: Timer | null = null;
  #running: Promise<void> | null = null;
  #stopped = false;
  /** Lanes that were due at the last sweep: if they still are, something may be in the way. */
  #before: ReadonlySet<string> = new Set();

  constructor(private readonly options: SweepOptions) {
    this.#intervalMs = options.intervalMs ?? 1000;
  }

  start(): void {
    this.#schedule(this.#intervalMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#running;
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

  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = this.options.clock.after(delayMs, () => {
      this.#running = this.#sweepAndSchedule();
    });
  }

  async #sweepAndSchedule(): Promise<void> {
    const startedAt = this.options.clock.monotonicMs();
    try {
      await this.sweep();
    } catch (error) {
      this.options.log.warn({ err: error }, 'the sweep for due webhooks failed; it is made again');
    }
    const tookMs = this.options.clock.monotonicMs() - startedAt;
    this.#schedule(Math.max(this.#intervalMs, tookMs * REST_FACTOR));
  }
}
