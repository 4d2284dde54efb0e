import type { Database, Queryable } from '../../database.js';
import type { ArchivePart, WorkRow, WorkStatus } from '../../rows.js';
import type { Report } from '../../../model/privacy/report.js';

/** How far the work is after a piece of it; absent members stay as they are. */
export interface Progress {
  readonly status?: WorkStatus;
  readonly step?: string;
  /** Null if the step changes and this is absent. */
  readonly cursor?: unknown;
  readonly report?: Report;
  readonly parts?: readonly ArchivePart[];
  readonly expires_at?: Date;
  readonly kept_until?: Date | null;
  readonly finished_at?: Date | null;
  readonly problem?: string | null;
  /** Until when the claim lasts now; null: nothing is left to do. */
  readonly due_at: Date | null;
}

/** Another process has taken the work. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}

type WorkTable = 'privacy_jobs' | 'organization_endings';

/**
 * Rows of work that any process does piece by piece. Each piece and the note that it is done are one transaction, so
 * that a piece is done exactly once, even if a process dies or is slow.
 */
export class WorkRows<Row extends WorkRow> {
  constructor(
    private readonly db: Database,
    private readonly table: WorkTable,
  ) {}

  async insert(row: Row, on: Queryable): Promise<void> {
    await on.query(`INSERT INTO ${this.table} SELECT * FROM jsonb_populate_record(NULL::${this.table}, $1)`, [
      JSON.stringify(row),
    ]);
  }

  /** Takes the work that has been due for longest. @param until end of the claim */
  async take(now: Date, until: Date): Promise<Row | null> {
    const [row] = await this.db.query<Row>(
      `UPDATE ${this.table} SET due_at = $2, version = version + 1, attempts = attempts + 1,
         status = CASE status WHEN 'waiting' THEN 'running' ELSE status END
       WHERE id = (
         SELECT id FROM ${this.table} WHERE due_at <= $1 ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
       ) RETURNING *`,
      [now, until],
    );
    return row ?? null;
  }

  /**
   * Does a piece of work and records the progress in the same transaction.
   * @throws ClaimLostError if another process has taken the work: nothing was done
   */
  advance(row: Row, piece: (tx: Queryable) => Promise<Progress>): Promise<Row> {
    return this.db.transaction(async (tx) => {
      const [held] = await tx.query<{ version: number }>(
        `SELECT version FROM ${this.table} WHERE id = $1 FOR NO KEY UPDATE`,
        [row.id],
      );
      if (held?.version !== row.version) throw new ClaimLostError(`${this.table} ${row.id}`);
      const progress = await piece(tx);
      const next = { ...row, attempts: 0, problem: null, ...startOf(row, progress), ...progress };
      const [stored] = await tx.query<Row>(
        `UPDATE ${this.table} SET version = version + 1, status = $2, step = $3, cursor = $4::jsonb, report = $5::jsonb,
           problem = $6, attempts = $7, due_at = $8, kept_until = $9, finished_at = $10,
           parts = coalesce($11::jsonb, parts), expires_at = coalesce($12, expires_at)
         WHERE id = $1 RETURNING *`,
        [
          ...[row.id, next.status, next.step, json(next.cursor), json(next.report), next.problem, next.attempts],
          ...[next.due_at, next.kept_until, next.finished_at],
          // Another process may delete an archive at any time.
          ...[json(progress.parts), progress.expires_at ?? null],
        ],
      );
      if (!stored) throw new ClaimLostError(`${this.table} ${row.id}`);
      return stored;
    });
  }

  /** Extends a claim. @throws ClaimLostError */
  async renew({ id, version }: Row, until: Date): Promise<void> {
    const rows = await this.db.query(
      `UPDATE ${this.table} SET due_at = $3 WHERE id = $1 AND version = $2 RETURNING 1`,
      [id, version, until],
    );
    if (rows.length === 0) throw new ClaimLostError(`${this.table} ${id}`);
  }

  /** Gives the work back: it is due again at this time. Does nothing if another process has taken it. */
  async postpone({ id, version }: Row, dueAt: Date, problem: string | null): Promise<void> {
    await this.db.query(`UPDATE ${this.table} SET due_at = $3, problem = $4 WHERE id = $1 AND version = $2`, [
      id,
      version,
      dueAt,
      problem,
    ]);
  }

  /** Work whose archive is to be deleted. */
  expired(now: Date, limit: number): Promise<Row[]> {
    return this.db.query<Row>(`SELECT * FROM ${this.table} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`, [
      now,
      limit,
    ]);
  }

  /** Forgets an archive whose files are deleted. */
  async forgetArchive(id: string): Promise<void> {
    await this.db.query(`UPDATE ${this.table} SET expires_at = NULL, parts = '[]' WHERE id = $1`, [id]);
  }
}

/** A new step begins at its beginning. */
function startOf(row: WorkRow, { step }: Progress): Pick<Progress, 'cursor'> {
  return step === undefined || step === row.step ? {} : { cursor: null };
}

function json(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
