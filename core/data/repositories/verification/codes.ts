import type { Database, Queryable } from '../../database.js';
import { codesOf } from '../../models/tables.js';
import type { CodeRow, CodeState } from '../../rows.js';

/** State of the code after an entry at `$4`; `$3` is whether the entry was right. */
const ENTERED = `CASE
  WHEN expires_at <= $4 THEN 'expired' WHEN $3 THEN 'used' WHEN attempts + 1 >= max_attempts THEN 'spent' ELSE 'pending' END`;

/**
 * Conversion of codes sent to a block of numbers: closed or expired codes, and those among them
 * that were entered.
 */
export interface Conversion {
  readonly over: number;
  readonly entered: number;
}

/** Columns of {@link Conversion}, over codes that are {@link OVER} at `$4`. */
export const CONVERSION = `count(*) AS over, count(*) FILTER (WHERE code.state = 'used') AS entered`;
export const OVER = `(code.state IN ('used', 'spent', 'expired') OR (code.state = 'pending' AND code.expires_at <= $4))`;

/** One-time codes. Every concurrent operation is a single statement. */
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

  /** The newest code of this purpose, in any state. */
  async latestOfWidget(purpose: string): Promise<CodeRow | null> {
    const [row] = await this.db.query<CodeRow>(
      `SELECT * FROM one_time_codes WHERE purpose = $1 AND purpose LIKE 'widget:%' ORDER BY created_at DESC LIMIT 1`,
      [purpose],
    );
    return row ?? null;
  }

  /** Conversion of the codes that an organization's widgets sent to a block of numbers since then. */
  async conversionOfWidgets(organizationId: string, block: string, since: Date, now: Date): Promise<Conversion> {
    const [row] = await this.db.query<Conversion>(
      `SELECT ${CONVERSION} FROM one_time_codes AS code
       WHERE organization_id = $1 AND number_block = $2 AND created_at >= $3 AND ${OVER}`,
      [organizationId, block, since, now],
    );
    return row ?? { over: 0, entered: 0 };
  }

  /** Deletes the code and, by cascade, its verification. */
  async remove(id: string): Promise<void> {
    await this.#table.remove({ id });
  }

  /**
   * Sets the hash of a new code, which replaces any previous one. @returns null if the code is
   * closed or has expired
   */
  async arm(id: string, hash: string, now: Date): Promise<CodeRow | null> {
    const [row] = await this.db.query<CodeRow>(
      `UPDATE one_time_codes SET hash = $2 WHERE id = $1 AND state = 'pending' AND expires_at > $3 RETURNING *`,
      [id, hash, now],
    );
    return row ?? null;
  }

  /**
   * Counts one entry of the code, compared with `hash`. A wrong entry uses an attempt and a late
   * one closes the code; concurrent entries are counted one after another.
   * @returns the updated code; null, with nothing counted, if it was closed or replaced in the
   * meantime
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

  /** Records that expiry was reported. @returns false if it was recorded before. */
  async recordExpiryReport(id: string): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE one_time_codes SET late_told = true WHERE id = $1 AND state = 'expired' AND NOT late_told RETURNING id`,
      [id],
    );
    return rows.length === 1;
  }

  /**
   * Counts another send and restarts the lifetime, if the waiting time since the last send is over.
   * @param waitSeconds after the first send, the second and so on; the last value repeats
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

  /** Begins the lifetime of a pending code again, and the wait before it may be sent again. */
  async restart(id: string, now: Date): Promise<void> {
    await this.db.query(
      `UPDATE one_time_codes SET sent_at = $2, expires_at = $2::timestamptz + make_interval(secs => lifetime_seconds)
       WHERE id = $1 AND state = 'pending' AND expires_at > $2`,
      [id, now],
    );
  }

  /** @returns null if it was already closed. */
  async close(on: Queryable, id: string, state: Exclude<CodeState, 'pending'>, now: Date): Promise<CodeRow | null> {
    const [row] = await on.query<CodeRow>(
      `UPDATE one_time_codes SET state = $2, hash = NULL, closed_at = $3 WHERE id = $1 AND state = 'pending' RETURNING *`,
      [id, state, now],
    );
    return row ?? null;
  }

  /** Closes up to `limit` expired codes of a purpose, skipping rows locked by other processes. */
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
