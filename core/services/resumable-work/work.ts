import type { Queryable } from '../../data/database.js';
import type { Progress, WorkRows } from '../../data/repositories/privacy/work.js';
import type { WorkRow } from '../../data/rows.js';
import type { Clock } from '../../ports/clock.js';
import type { IsStopping } from '../runtime/periodic-task.js';

/** Something that the work needs takes some time: it continues later, at the same place. */
export class Later extends Error {
  override readonly name = 'Later';
  /** @param why one word for the log, and for who looks at the row */
  constructor(
    readonly seconds: number,
    readonly why: string,
  ) {
    super(`continues in ${seconds} s: ${why}`);
  }
}

/** How long a process has for a piece of work, before others think that it died. */
export const CLAIM_MS = 5 * 60_000;
/** A claim is renewed when this much of it is left. */
const RENEW_AT_MS = 3 * 60_000;

/** What a piece of work changes of its row; the claim is renewed with it, unless it says when the work is due again. */
export type Piece = Omit<Progress, 'due_at'> & { readonly due_at?: Date | null };

/** Work that this process has claimed. */
export class Work<Row extends WorkRow> {
  #row: Row;
  #isOver = false;
  #claimedUntilMs: number;

  constructor(
    private readonly rows: WorkRows<Row>,
    private readonly clock: Clock,
    row: Row,
    readonly isStopping: IsStopping,
    private readonly onPiece: () => Promise<void>,
  ) {
    this.#row = row;
    this.#claimedUntilMs = clock.monotonicMs() + CLAIM_MS;
  }

  get row(): Row {
    return this.#row;
  }

  /** Whether nothing is left to do now. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Does a piece of work, and records in the same transaction that it is done.
   * @throws ClaimLostError, DatabaseUnavailable: nothing was done
   */
  async advance(piece: (tx: Queryable) => Promise<Piece>): Promise<void> {
    const until = this.#claimEnd();
    this.#row = await this.rows.advance(this.#row, async (tx) => {
      const { due_at = until, ...progress } = await piece(tx);
      this.#isOver = due_at !== until;
      return { ...progress, due_at };
    });
    await this.onPiece();
  }

  /** Keeps the claim during a long piece. @throws ClaimLostError, DatabaseUnavailable */
  async keepClaim(): Promise<void> {
    if (this.#claimedUntilMs - this.clock.monotonicMs() > RENEW_AT_MS) return;
    await this.rows.renew(this.#row, this.#claimEnd());
  }

  #claimEnd(): Date {
    this.#claimedUntilMs = this.clock.monotonicMs() + CLAIM_MS;
    return new Date(this.clock.now().getTime() + CLAIM_MS);
  }
}

/** One of the steps that a row names: it does pieces of work until the row names another one, or the work is over. */
export type Step<Row extends WorkRow> = (work: Work<Row>) => Promise<void>;
