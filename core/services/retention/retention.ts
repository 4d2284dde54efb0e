import type { Database } from '../../data/database.js';
import { purgeOutsideLegs } from '../../data/repositories/calls/fraud-guard.js';
import { purgeRefusedCalls } from '../../data/repositories/calls/refused-calls.js';
import { purgeImportFaults, purgeImports } from '../../data/repositories/contacts/contact-imports.js';
import { purgeBroadcastRecipients, purgeBroadcasts } from '../../data/repositories/messaging/broadcasts.js';
import { purgeMessages } from '../../data/repositories/messaging/retention.js';
import { databaseTime } from '../../data/time.js';
import { KEPT_SECRET_DAYS } from '../../model/access/keys.js';
import { purgeKeptSecrets } from '../../data/repositories/accounts/member-keys.js';
import { purgeEndedSessions } from '../../data/repositories/accounts/ended-sessions.js';
import { purgeSignups } from '../../data/repositories/accounts/signups.js';
import { purgeIdempotencyKeys } from '../../data/repositories/accounts/idempotency.js';
import {
  runExclusively,
  closeExpiredCodes,
  FIRST_ID,
  lastFinished,
  recordFinished,
  purgeChallenges,
  purgeCodes,
  purgeEvents,
  purgeTimeline,
  type Purge,
} from '../../data/repositories/maintenance/retention.js';
import { pause, type Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { AuditChain } from '../audit/chain.js';
import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

/** Days for which rows are kept; 0 keeps them for ever. */
export interface RetentionRules {
  /** Events with their deliveries and attempts. */
  readonly eventsDays: number;
  /** The timeline of a call; the call itself, its legs and its charges are kept. */
  readonly timelineDays: number;
  /** The audit log of the API. */
  readonly auditDays: number;
  /** Verifications, other codes and authentication calls, with the numbers and addresses that they were for. */
  readonly verificationsDays: number;
  /** Messages with their texts. */
  readonly messagesDays: number;
  /** The list of refused calls. */
  readonly refusedCallsDays: number;
}

export interface RetentionObserver {
  deleted(table: string, rows: number): void;
  /** When the last run by any process finished. */
  finished(at: Date): void;
}

export interface RetentionOptions {
  readonly db: Database;
  readonly rules: RetentionRules;
  readonly observer: RetentionObserver;
  /** The chain of the audit log, whose oldest rows go. */
  readonly audit: Pick<AuditChain, 'prune'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Rows per batch; default 500. */
  readonly batchRows?: number;
}

/** Receives the number of rows that were deleted from a table. */
type CountDeleted = (table: string, rows: number) => void;

const NAME = 'retention';
/** Advisory lock id; any number that nothing else in the database uses. */
const LOCK = 4_871_002_968;
const DAY_MS = 86_400_000;
/** How long an expired token is known, so that its answer says that it expired. */
const EXPIRED_TOKENS_DAYS = 1;
/** How long the guard against toll fraud knows a number that was called. */
const KNOWN_NUMBERS_DAYS = 90;
/** How long an import of contacts can be read after its end. */
const IMPORTS_DAYS = 30;
const RUN_INTERVAL_MS = 3_600_000;
const CHECK_INTERVAL_MS = 60_000;
const BATCH_ROWS = 500;
/** Pause between two batches, for writers that wait. */
const PAUSE_MS = 20;

/**
 * Deletes rows that are older than the rules allow, in small batches, once an hour, in one process at a time.
 * PostgreSQL determines what is due and which process runs; Redis is not needed. Charges are never deleted, so calls
 * and legs are kept.
 */
export class Retention implements PeriodicTask {
  readonly name = 'retention';
  readonly everyMs = CHECK_INTERVAL_MS;
  readonly startsAtOnce = true;

  constructor(private readonly options: RetentionOptions) {}

  /**
   * Runs if a run is due.
   * @returns the number of deleted rows by table; null if no run is due, or another process is running it
   * @throws DatabaseUnavailable
   */
  async run(isStopping: IsStopping = () => false): Promise<Readonly<Record<string, number>> | null> {
    const { db, observer, log } = this.options;
    // The database's time: a process whose clock is wrong must not delete recent rows.
    const [now, last] = await Promise.all([databaseTime(db), lastFinished(db, NAME)]);
    if (last !== null) observer.finished(last);
    if (last !== null && now.getTime() - last.getTime() < RUN_INTERVAL_MS) return null;
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
    if (done && Object.keys(deleted).length > 0) log.info({ deleted }, 'retention deleted old rows');
    return done ? deleted : null;
  }

  async #purgeAll(now: Date, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    const { eventsDays, timelineDays, verificationsDays, messagesDays, refusedCallsDays } = this.options.rules;
    await this.#inBatches((limit) => closeExpiredCodes(this.options.db, now, limit), isStopping);
    for (const [table, purge] of [
      ['idempotency_keys', purgeIdempotencyKeys],
      ['signups', purgeSignups],
    ] as const) {
      await this.#inCountedBatches(table, (limit) => purge(this.options.db, now, limit), count, isStopping);
    }
    await this.#forgetSecrets(now, isStopping);
    await this.#purgeSessions(now, count, isStopping);
    await this.#purgeOutsideLegs(now, count, isStopping);
    await this.#purgeImports(now, count, isStopping);
    await this.#purgeBroadcasts(now, count, isStopping);
    await this.#pruneAudit(now, count, isStopping);
    for (const [purge, days] of [
      [purgeEvents, eventsDays],
      [purgeTimeline, timelineDays],
      [purgeCodes, verificationsDays],
      [purgeChallenges, verificationsDays],
      [purgeMessages, messagesDays],
      [purgeRefusedCalls, refusedCallsDays],
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
      if (afterId !== null) await pause(this.options.clock, PAUSE_MS);
    }
  }

  async #purgeOutsideLegs(now: Date, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    const before = new Date(now.getTime() - KNOWN_NUMBERS_DAYS * DAY_MS);
    const purge = (limit: number): Promise<number> => purgeOutsideLegs(this.options.db, before, limit);
    await this.#inCountedBatches('outside_legs', purge, count, isStopping);
  }

  async #purgeImports(now: Date, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    const before = new Date(now.getTime() - IMPORTS_DAYS * DAY_MS);
    for (const [table, purge] of [
      ['contact_import_faults', purgeImportFaults],
      ['contact_imports', purgeImports],
    ] as const) {
      await this.#inCountedBatches(table, (limit) => purge(this.options.db, before, limit), count, isStopping);
    }
  }

  /** Before the messages, which stay as long as their broadcast. */
  async #purgeBroadcasts(now: Date, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    const { messagesDays } = this.options.rules;
    if (messagesDays === 0) return;
    const before = new Date(now.getTime() - messagesDays * DAY_MS);
    for (const [table, purge] of [
      ['broadcast_recipients', purgeBroadcastRecipients],
      ['broadcasts', purgeBroadcasts],
    ] as const) {
      await this.#inCountedBatches(table, (limit) => purge(this.options.db, before, limit), count, isStopping);
    }
  }

  async #pruneAudit(now: Date, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    const { rules, audit } = this.options;
    if (rules.auditDays === 0) return;
    const before = new Date(now.getTime() - rules.auditDays * DAY_MS);
    await this.#inCountedBatches('audit_log', (limit) => audit.prune(before, limit), count, isStopping);
  }

  async #forgetSecrets(now: Date, isStopping: IsStopping): Promise<void> {
    const before = new Date(now.getTime() - KEPT_SECRET_DAYS * DAY_MS);
    await this.#inBatches((limit) => purgeKeptSecrets(this.options.db, before, limit), isStopping);
  }

  async #purgeSessions(now: Date, count: CountDeleted, isStopping: IsStopping): Promise<void> {
    const before = new Date(now.getTime() - EXPIRED_TOKENS_DAYS * DAY_MS);
    await this.#inBatches(async (limit) => {
      const deleted = Object.entries(await purgeEndedSessions(this.options.db, before, limit));
      for (const [table, rows] of deleted) if (rows > 0) count(table, rows);
      return Math.max(...deleted.map(([, rows]) => rows));
    }, isStopping);
  }

  async #inCountedBatches(
    table: string,
    purge: (limit: number) => Promise<number>,
    count: CountDeleted,
    isStopping: IsStopping,
  ): Promise<void> {
    await this.#inBatches(async (limit) => {
      const rows = await purge(limit);
      if (rows > 0) count(table, rows);
      return rows;
    }, isStopping);
  }

  /** Repeats until a batch is not full, with pauses that leave the database to the calls. */
  #inBatches(work: (limit: number) => Promise<number>, isStopping: IsStopping): Promise<void> {
    const workThenPause = async (limit: number): Promise<number> => {
      const rows = await work(limit);
      if (rows === limit) await pause(this.options.clock, PAUSE_MS);
      return rows;
    };
    return inBatches(this.#batchRows, workThenPause, isStopping);
  }

  get #batchRows(): number {
    return this.options.batchRows ?? BATCH_ROWS;
  }
}
