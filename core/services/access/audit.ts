import type { Queryable } from '../../data/database.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { AuditRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import type { Clock, Timer } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';

export type AuditEntry = Omit<AuditRow, 'id' | 'created_at'>;

/** Rows kept while the database is away; beyond it the oldest are lost, and the log says so. */
const MOST_WAITING = 10_000;
const BATCH = 500;
const RETRY_MS = 1_000;

/**
 * Who did what through the API. Entries are written together, one statement in flight; those that come meanwhile go with
 * the next. While the database is away they wait here.
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

  record(entry: AuditEntry): void {
    this.#waiting.push({ ...entry, id: newId(), created_at: this.clock.now() });
    const lost = this.#waiting.length - MOST_WAITING;
    if (lost > 0) {
      this.#waiting.splice(0, lost);
      this.logger.error({ lost }, 'audit rows were lost: the database is away for too long');
    }
    this.#start();
  }

  /** Resolves when all that was recorded so far is written, or cannot be for now. */
  async flush(): Promise<void> {
    this.#start();
    while (this.#writing) await this.#writing;
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#retry?.cancel();
    this.#retry = null;
    await this.flush();
    if (this.#waiting.length > 0) this.logger.error({ lost: this.#waiting.length }, 'audit rows were lost at the stop');
  }

  #start(): void {
    if (this.#writing || this.#retry || this.#waiting.length === 0) return;
    this.#writing = this.#write().then((done) => {
      this.#writing = null;
      // What was recorded while the last statement ended.
      if (done) this.#start();
    });
  }

  /** @returns false where the rest has to wait for the database. */
  async #write(): Promise<boolean> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        await insertAuditRows(this.db, batch);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) {
          this.logger.error({ err: error, lost: batch.length }, 'audit rows were refused by the database');
          continue;
        }
        this.#waiting.unshift(...batch);
        this.logger.warn({ err: error, waiting: this.#waiting.length }, 'audit rows could not be written');
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
