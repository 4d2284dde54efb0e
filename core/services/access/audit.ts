import type { Queryable } from '../../data/database.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { AuditRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import type { Clock, Timer } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

export type AuditEntry = Omit<AuditRow, 'id' | 'created_at'>;

/**
 * Maximum rows held in memory while the database is unavailable; beyond it the oldest are dropped and logged as lost.
 */
const MAX_WAITING = 10_000;
const BATCH_SIZE = 500;
const RETRY_MS = 1_000;

/**
 * Records who did what through the API. Entries are inserted in batches, one statement at a time. While the database is
 * unavailable they wait in memory.
 */
export class AuditLog {
  #waiting: AuditRow[] = [];
  #writing: Promise<void> | null = null;
  #retry: Timer | null = null;
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
    this.#start();
  }

  #rowOf(entry: AuditEntry): AuditRow {
    return { ...entry, id: newId(), created_at: this.clock.now() };
  }

  /** Resolves when every entry recorded so far is stored, or when storing them has failed for now. */
  async flush(): Promise<void> {
    this.#start();
    while (this.#writing) await this.#writing;
  }

  /** Stores the remaining entries. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.cancel();
    this.#retry = null;
    await this.flush();
    if (this.#waiting.length > 0) this.logger.error({ lost: this.#waiting.length }, 'audit rows lost at shutdown');
  }

  #start(): void {
    if (this.#writing || this.#retry || this.#waiting.length === 0) return;
    this.#writing = this.#write().then((done) => {
      this.#writing = null;
      // Entries were recorded while the last statement was finishing.
      if (done) this.#start();
    });
  }

  /** Returns false if the remaining entries have to wait for the database. */
  async #write(): Promise<boolean> {
    while (this.#waiting.length > 0) {
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
    }
    return true;
  }

  #retryLater(): void {
    this.#retry = this.clock.after(RETRY_MS, () => {
      this.#retry = null;
      this.#start();
    });
  }
}
