import type { Queryable } from '../../data/database.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import { ClaimLostError, type WorkRows } from '../../data/repositories/privacy/work.js';
import type { WorkRow } from '../../data/rows.js';
import { HatifError, type ErrorCode } from '../../model/errors/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { StorageError, type ObjectStores } from '../../ports/object-store.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import { CLAIM_MS, Later, Work, type Step } from './work.js';

export interface WorkTaskOptions<Row extends WorkRow> {
  readonly name: string;
  readonly rows: WorkRows<Row>;
  readonly steps: Readonly<Record<string, Step<Row>>>;
  /** Where archives are. */
  readonly stores: ObjectStores;
  readonly clock: Clock;
  readonly log: Logger;
  /** Errors with which the work has failed for good; after any other, it is tried again. */
  readonly finalErrors?: readonly ErrorCode[];
  /** Runs in the transaction that records that the work has failed for good. */
  readonly onFailed?: (tx: Queryable, row: Row) => Promise<void>;
  /** For tests: called when a piece of work is recorded. */
  readonly onPiece?: () => Promise<void> | void;
}

const INTERVAL_MS = 5_000;
const FIRST_RETRY_SECONDS = 30;
const LONGEST_RETRY_SECONDS = 3600;
const EXPIRED_BATCH = 20;

/**
 * Does the work of a table of {@link WorkRow} in steps, and deletes archives that have expired. PostgreSQL decides what
 * is due and gives each row to one process; after a crash, another process continues within minutes.
 */
export class WorkTask<Row extends WorkRow> implements PeriodicTask {
  readonly everyMs = INTERVAL_MS;
  readonly startsAtOnce = true;
  readonly name: string;

  constructor(private readonly options: WorkTaskOptions<Row>) {
    this.name = options.name;
  }

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { rows, clock } = this.options;
    await this.#removeExpired(isStopping);
    while (!isStopping()) {
      const now = clock.now();
      const row = await rows.take(now, new Date(now.getTime() + CLAIM_MS));
      if (!row) return;
      await this.#do(row, isStopping);
    }
  }

  async #do(row: Row, isStopping: IsStopping): Promise<void> {
    const { rows, steps, finalErrors = [], clock, log } = this.options;
    const onPiece = async (): Promise<void> => this.options.onPiece?.();
    const work = new Work(rows, clock, row, isStopping, onPiece);
    try {
      while (!work.isOver && !isStopping()) {
        const step = steps[work.row.step];
        if (!step) throw new Error(`${this.name} has no step ${work.row.step}`);
        await step(work);
      }
      // The next process need not wait for the end of the claim.
      if (!work.isOver) await rows.postpone(work.row, clock.now(), work.row.problem);
    } catch (error) {
      if (error instanceof ClaimLostError) return;
      if (error instanceof DatabaseUnavailable) throw error;
      const code = error instanceof HatifError ? (error as HatifError).code : null;
      if (code !== null && finalErrors.includes(code)) return this.#fail(work, code);
      const later = error instanceof Later;
      const seconds = later ? error.seconds : retrySeconds(work.row.attempts);
      const why = later ? error.why : error instanceof StorageError ? 'storage' : 'fault';
      if (!later) log.warn({ err: error, task: this.name, id: row.id }, 'work did not succeed; will retry');
      // What is recorded already says when it is due.
      if (!work.isOver) await rows.postpone(work.row, new Date(clock.now().getTime() + seconds * 1000), why);
    }
  }

  /** What the request asks for is not possible any more. */
  async #fail(work: Work<Row>, problem: ErrorCode): Promise<void> {
    const finished_at = this.options.clock.now();
    await work.advance(async (tx) => {
      await this.options.onFailed?.(tx, work.row);
      return { status: 'failed', problem, finished_at, due_at: null };
    });
  }

  async #removeExpired(isStopping: IsStopping): Promise<void> {
    const { rows, stores, clock, log } = this.options;
    for (const row of await rows.expired(clock.now(), EXPIRED_BATCH)) {
      if (isStopping()) return;
      try {
        for (const { storage, storage_key } of row.parts) await stores.of(storage).remove(storage_key);
        await rows.forgetArchive(row.id);
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        log.warn({ err: error, id: row.id }, 'failed to delete an expired archive; will retry');
      }
    }
  }
}

function retrySeconds(attempts: number): number {
  return Math.min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** Math.max(0, attempts - 1));
}
