import type { Database } from '../../data/database.js';
import { databaseTime } from '../../data/time.js';
import { purgeIdempotencyKeys } from '../../data/repositories/accounts/idempotency.js';
import {
  runExclusively,
  closeExpiredCodes,
  FIRST_ID,
  lastFinished,
  recordFinished,
  purgeAudit,
  purgeChallenges,
  purgeCodes,
  purgeEvents,
  purgeTimeline,
  type Purge,
} from '../../data/repositories/maintenance/retention.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

/** Days for which rows are kept; 0 is for ever. */
export interface RetentionRules {
  /** Events with their deliveries and attempts. */
  readonly eventsDays: number;
  /** What happened in a call; the call itself, its legs and its charges stay. */
  readonly timelineDays: number;
  /** Who did what through the API. */
  readonly auditDays: number;
  /** Verifications and other codes, and authentication calls, with the numbers and addresses that they were for. */
  readonly verificationsDays: number;
}

export interface RetentionObserver {
  deleted(table: string, rows: number): void;
  /** When the last run of any process was finished. */
  finished(at: Date): void;
}

export interface RetentionOptions {
  readonly db: Database;
  readonly rules: RetentionRules;
  readonly observer: RetentionObserver;
  readonly clock: Clock;
  readonly log: Logger;
  /** Rows of one batch; 500 by default. */
  readonly batchRows?: number;
}

/** Receives the number of rows that were deleted from a table. */
type CountDeleted = (table: string, rows: number) => void;

const NAME = 'retention';
/** Any number that nothing else in the database locks. */
const LOCK = 4_871_002_968;
const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;
const LOOK_EVERY_MS = 60_000;
const BATCH_ROWS = 500;
/** Between two batches, for those who are waiting to write. */
const REST_MS = 20;

/**
 * Deletes what is older than the rules keep, in small batches, once an hour, in one process at a time. PostgreSQL tells what is due and
 * who is at it; Redis is not needed. Charges are never touched, so calls and legs stay.
 */
export class Retention implements PeriodicTask {
  readonly name = 'retention';
  readonly everyMs = LOOK_EVERY_MS;
  readonly startsAtOnce = true;

  constructor(private readonly options: RetentionOptions) {}

  /**
   * One look: a run, if one is due.
   * @returns what was deleted by table; null when none is due, or another process is at it
   * @throws DatabaseUnavailable
   */
  async run(isStopping: IsStopping = () => false): Promise<Readonly<Record<string, number>> | null> {
    const { db, observer, log } = this.options;
    // The database's time: a process whose clock is wrong must not delete what is young.
    const [now, last] = await Promise.all([databaseTime(db), lastFinished(db, NAME)]);
    if (last !== null) observer.finished(last);
    if (last !== null && now.getTime() - last.getTime() < EVERY_MS) return null;
    const deleted: Record<string, number> = {};
    const done = await runExclusively(db, LOCK, async () => {
      const count: CountDeleted = (table, rows) => {
        deleted[table] = (deleted[table] ?? 0) + rows;
        observer.deleted(table, rows);
      };
      await this.#purgeAll(now, count, isStopping);
      if (isStopping()) return;
      await recordFinished(db, NAME, now);
      observer.finished(now);
    });
    if (done && Object.keys(deleted).length > 0) log.info({ deleted }, 'expired rows were deleted');
    return done ? deleted : null;
  }

  async #purgeAll(now: Date, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    const { eventsDays, timelineDays, auditDays, verificationsDays } = this.options.rules;
    await this.#inBatches((limit) => closeExpiredCodes(this.options.db, now, limit), isStopping);
    await this.#purgeKeys(now, count, isStopping);
    for (const [purge, days] of [
      [purgeEvents, eventsDays],
      [purgeTimeline, timelineDays],
      [purgeAudit, auditDays],
      [purgeCodes, verificationsDays],
      [purgeChallenges, verificationsDays],
    ] as const) {
      await this.#purge(purge, now, days, count, isStopping);
    }
  }

  async #purge(purge: Purge, now: Date, days: number, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    if (days === 0) return;
    const before = new Date(now.getTime() - days * DAY_MS);
    let afterId: string | null = FIRST_ID;
    while (afterId !== null && !isStopping()) {
      const batch: Awaited<ReturnType<Purge>> = await purge(this.options.db, before, afterId, this.#batchRows);
      for (const [table, rows] of Object.entries(batch.deleted)) if (rows > 0) count(table, rows);
      afterId = batch.lastId;
      if (afterId !== null) await pause(this.options.clock, REST_MS);
    }
  }

  async #purgeKeys(now: Date, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    await this.#inBatches(async (limit) => {
      const rows = await purgeIdempotencyKeys(this.options.db, now, limit);
      if (rows > 0) count('idempotency_keys', rows);
      return rows;
    }, isStopping);
  }

  /** Until a batch is not full. */
  async #inBatches(work: (limit: number) => Promise<number>, isStopping: IsStopping): Promise<void> {
    let rows: number;
    do {
      rows = await work(this.#batchRows);
      if (rows === this.#batchRows) await pause(this.options.clock, REST_MS);
    } while (rows === this.#batchRows && !isStopping());
  }

  get #batchRows(): number {
    return this.options.batchRows ?? BATCH_ROWS;
  }
}
