import type { Database, Queryable } from '../../database.js';
import { codesOf } from '../../models/tables.js';
import type { CodeRow, CodeState } from '../../rows.js';

/** What an entry at `$4` makes of the code; `$3`: it is the right one. */
const ENTERED = `CASE
  WHEN expires_at <= $4 THEN 'expired' WHEN $3 THEN 'used' WHEN attempts + 1 >= max_attempts THEN 'spent' ELSE 'pending' END`;

/** One-time codes. What several may do at the same moment is one statement each. */
export class Codes {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = codesOf(db);
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  create(row: CodeRow, on: Queryable = this.db): Promise<void> {
    return this.#table.insert(row, on);
  }

  async get(id: string): Promise<CodeRow | null> {
    const [row] = await this.db.query<CodeRow>(`SELECT * FROM one_time_codes WHERE id = $1`, [id], { prepared: true });
    return row ?? null;
  }

  /** The one that was made last, whatever became of it. */
  async latestOfWidget(purpose: string): Promise<CodeRow | null> {
    const [row] = await this.db.query<CodeRow>(
      `SELECT * FROM one_time_codes WHERE purpose = $1 AND purpose LIKE 'widget:%' ORDER BY created_at DESC LIMIT 1`,
      [purpose],
    );
    return row ?? null;
  }

  /** What hangs on it goes with it. */
  async remove(id: string): Promise<void> {
    await this.#table.remove({ id });
  }

  /** From here on this hash counts, and none before. @returns null where no code is wanted any more */
  async arm(id: string, hash: string, now: Date): Promise<CodeRow | null> {
    const [row] = await this.db.query<CodeRow>(
      `UPDATE one_time_codes SET hash = $2 WHERE id = $1 AND state = 'pending' AND expires_at > $3 RETURNING *`,
      [id, hash, now],
    );
    return row ?? null;
  }

  /**
   * Count one entry, against the hash that it was compared with: a wrong one costs an attempt, a late one closes the code, and of several at
   * the same moment only one is the right one, or the last.
   * @returns the code as it is then; null when it was closed or made anew meanwhile, and nothing was counted
   */
  async enter(
    on: Queryable,
    { id, hash, right, now }: { readonly id: string; readonly hash: string | null; readonly right: boolean; now: Date },
  ): Promise<CodeRow | null> {
    const [row] = await on.query<CodeRow>(
      `UPDATE one_time_codes
       SET state = ${ENTERED},
         attempts = attempts + CASE WHEN expires_at > $4 AND NOT $3 THEN 1 ELSE 0 END,
         late_told = expires_at <= $4,
         hash = CASE ${ENTERED} WHEN 'pending' THEN hash END,
         closed_at = CASE ${ENTERED} WHEN 'pending' THEN NULL ELSE $4::timestamptz END
       WHERE id = $1 AND state = 'pending' AND hash IS NOT DISTINCT FROM $2
       RETURNING *`,
      [id, hash, right, now],
    );
    return row ?? null;
  }

  /** @returns whether this is the first who is told that it is too late. */
  async tellLate(id: string): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE one_time_codes SET late_told = true WHERE id = $1 AND state = 'expired' AND NOT late_told RETURNING id`,
      [id],
    );
    return rows.length === 1;
  }

  /**
   * Count one more sending and start its time anew, where the last is so long ago.
   * @param waitSeconds after the first sending, the second and so on; the last of them for all others
   */
  async renew(id: string, waitSeconds: readonly number[], now: Date): Promise<CodeRow | null> {
    const [row] = await this.db.query<CodeRow>(
      `UPDATE one_time_codes
       SET sends = sends + 1, sent_at = $3, expires_at = $3::timestamptz + make_interval(secs => lifetime_seconds)
       WHERE id = $1 AND state = 'pending' AND expires_at > $3
         AND sent_at + make_interval(secs => ($2::integer[])[least(sends, cardinality($2::integer[]))]) <= $3
       RETURNING *`,
      [id, waitSeconds, now],
    );
    return row ?? null;
  }

  /** @returns null where it was closed before. */
  async close(on: Queryable, id: string, state: Exclude<CodeState, 'pending'>, now: Date): Promise<CodeRow | null> {
    const [row] = await on.query<CodeRow>(
      `UPDATE one_time_codes SET state = $2, hash = NULL, closed_at = $3 WHERE id = $1 AND state = 'pending' RETURNING *`,
      [id, state, now],
    );
    return row ?? null;
  }

  /** Close up to `limit` codes of a purpose whose time has passed. No two processes get the same. */
  expire(on: Queryable, purpose: string, now: Date, limit: number): Promise<CodeRow[]> {
    return on.query<CodeRow>(
      `UPDATE one_time_codes SET state = 'expired', hash = NULL, closed_at = $2
       WHERE id IN (
         SELECT id FROM one_time_codes WHERE state = 'pending' AND purpose = $1 AND expires_at <= $2
         ORDER BY expires_at LIMIT $3 FOR UPDATE SKIP LOCKED
       )
       RETURNING *`,
      [purpose, now, limit],
    );
  }
}
