import type { Queryable } from '../../data/database.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { AuditRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import { systemClock, type Clock, type Timer } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

export type AuditEntry = Omit<AuditRow, 'id' | 'created_at'>;

/**
 * Maximum rows held in memory while the database is unavailable; beyond it the oldest are dropped and logged as lost.
 */
const MAX_WAITING = 10_000;
const BATCH_SIZE = 500;
const RETRY_MS = 1_000;
/**
 * Minimum time from the start of a statement to the next, in real time. Its commit makes the commits of calls and
 * messages wait, for which clients wait; nobody waits for these rows.
 */
const SPACING_MS = 25;

/**
 * Records who did what through the API. Entries are inserted in batches, one statement at a time: an entry that comes
 * alone at once, those of a busy moment together. While the database is unavailable they wait in memory.
 */
export class AuditLog {
  #waiting: AuditRow[] = [];
  /** Resolves with false if the entries have to wait for the database. */
  #writing: Promise<boolean> | null = null;
  #retry: Timer | null = null;
  #spacing: Timer | null = null;
  /** Start of the last statement, by the monotonic clock. */
  #startedAtMs = -Infinity;
  #closed = false;

  constructor(
    private readonly db: Queryable,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Stores an entry before what it reports may happen. @throws DatabaseUnavailable */
  async store(entry: AuditEntry): Promise<void> {
    await insertAuditRows(this.db, [this.#rowOf(entry)]);
  }

  record(entry: AuditEntry): void {
    this.#waiting.push(this.#rowOf(entry));
    const lost = this.#waiting.length - MAX_WAITING;
    if (lost > 0) {
      this.#waiting.splice(0, lost);
      this.logger.error({ lost }, 'audit rows lost: the database has been unavailable for too long');
    }
    this.#startWhenSpaced();
  }

  #rowOf(entry: AuditEntry): AuditRow {
    return { ...entry, id: newId(), created_at: this.clock.now() };
  }

  /** Resolves when every entry recorded so far is stored, or when storing them has failed for now. */
  async flush(): Promise<void> {
    let done = true;
    while (done) {
      this.#start();
      if (!this.#writing) return;
      done = await this.#writing;
    }
  }

  /** Stores the remaining entries. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.cancel();
    this.#retry = null;
    await this.flush();
    if (this.#waiting.length > 0) this.logger.error({ lost: this.#waiting.length }, 'audit rows lost at shutdown');
  }

  #startWhenSpaced(): void {
    const restMs = this.#startedAtMs + SPACING_MS - systemClock.monotonicMs();
    if (restMs <= 0 || this.#closed || this.#waiting.length >= BATCH_SIZE) this.#start();
    else this.#spacing ??= systemClock.after(restMs, () => this.#start());
  }

  #start(): void {
    this.#spacing?.cancel();
    this.#spacing = null;
    if (this.#writing || this.#retry || this.#waiting.length === 0) return;
    this.#startedAtMs = systemClock.monotonicMs();
    this.#writing = this.#write().then((done) => {
      this.#writing = null;
      // Entries were recorded during the last statement.
      if (done && this.#waiting.length > 0) this.#startWhenSpaced();
      return done;
    });
  }

  /** Returns false if the remaining entries have to wait for the database. */
  async #write(): Promise<boolean> {
    do {
      const batch = this.#waiting.splice(0, BATCH_SIZE);
      try {
        await insertAuditRows(this.db, batch);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) {
          this.logger.error({ err: error, lost: batch.length }, 'the database rejected audit rows');
          continue;
        }
        this.#waiting.unshift(...batch);
        this.logger.warn({ err: error, waiting: this.#waiting.length }, 'failed to store audit rows');
        if (!this.#closed) this.#retryLater();
        return false;
      }
    } while (this.#waiting.length >= BATCH_SIZE);
    return true;
  }

  #retryLater(): void {
    this.#retry = this.clock.after(RETRY_MS, () => {
      this.#retry = null;
      this.#start();
    });
  }
}
