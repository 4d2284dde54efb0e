import type { Database, Queryable } from '../../database.js';
import { signupsOf } from '../../models/tables.js';
import type { SignupRow } from '../../rows.js';

/** Sign-ups that wait for the confirmation of their address. */
export class Signups {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = signupsOf(db);
  }

  add(row: SignupRow, tx: Queryable): Promise<void> {
    return this.#table.insert(row, tx);
  }

  /** The one that waits and whose last mail has this token. */
  async byToken(hash: string, now: Date): Promise<SignupRow | null> {
    const [row] = await this.db.query<SignupRow>(`SELECT * FROM signups WHERE token_hash = $1 AND expires_at > $2`, [
      hash,
      now,
    ]);
    return row ?? null;
  }

  /** Null for one that waits no more. */
  async get(id: string, now: Date): Promise<SignupRow | null> {
    const [row] = await this.db.query<SignupRow>(`SELECT * FROM signups WHERE id = $1 AND expires_at > $2`, [id, now]);
    return row ?? null;
  }

  /** Replaces the token: the link of the mail before does not work any more. @returns false if it waits no more */
  async renew(id: string, hash: string, expiresAt: Date, tx: Queryable): Promise<boolean> {
    const rows = await tx.query(`UPDATE signups SET token_hash = $2, expires_at = $3 WHERE id = $1 RETURNING id`, [
      id,
      hash,
      expiresAt,
    ]);
    return rows.length === 1;
  }

  /** Removes all of an address, which has an account now. */
  async removeOf(email: string, tx: Queryable): Promise<void> {
    await tx.query(`DELETE FROM signups WHERE email = $1`, [email]);
  }
}

/** Deletes sign-ups that expired before this time. @returns the number of them, at most `limit` */
export async function purgeSignups(db: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM signups WHERE id IN (SELECT id FROM signups WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
     RETURNING id`,
    [before, limit],
  );
  return rows.length;
}
