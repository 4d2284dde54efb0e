import type { Database, Queryable } from '../../database.js';

/** A user's codes from an authenticator app. Secrets are sealed. */
export interface TotpFactor {
  /** Null until the first one is confirmed. */
  readonly secret: string | null;
  readonly pending: string | null;
  readonly pending_at: Date | null;
}

/** The second factors of users: secrets of authenticator apps, and recovery codes. */
export class SecondFactors {
  constructor(private readonly db: Database) {}

  async totpOf(userId: string): Promise<TotpFactor | null> {
    const [row] = await this.db.query<TotpFactor>(
      `SELECT secret, pending, pending_at FROM totp_factors WHERE user_id = $1`,
      [userId],
    );
    return row ?? null;
  }

  /** Begins the set-up of a secret, in place of one that is not confirmed yet. The secret in use stays. */
  async beginTotp(userId: string, sealed: string, at: Date): Promise<void> {
    await this.db.query(
      `INSERT INTO totp_factors (user_id, pending, pending_at) VALUES ($1, $2, $3)
       ON CONFLICT (user_id) DO UPDATE SET pending = excluded.pending, pending_at = excluded.pending_at`,
      [userId, sealed, at],
    );
  }

  /** The pending secret replaces the one in use. @returns false if it is no longer the pending one */
  async confirmTotp(tx: Queryable, userId: string, sealed: string, step: number, at: Date): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE totp_factors
       SET secret = pending, pending = NULL, pending_at = NULL, last_step = $3, confirmed_at = $4
       WHERE user_id = $1 AND pending = $2 RETURNING user_id`,
      [userId, sealed, step, at],
    );
    return rows.length === 1;
  }

  /** Uses the code of a time-step. @returns false if it, or a later one, was used before, also by another process */
  async useStep(userId: string, sealed: string, step: number): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE totp_factors SET last_step = $3 WHERE user_id = $1 AND secret = $2 AND last_step < $3 RETURNING user_id`,
      [userId, sealed, step],
    );
    return rows.length === 1;
  }

  /** Deletes the secret and the recovery codes. @returns false if no secret was in use */
  async removeTotp(tx: Queryable, userId: string): Promise<boolean> {
    const rows = await tx.query(
      `DELETE FROM totp_factors WHERE user_id = $1 AND secret IS NOT NULL RETURNING user_id`,
      [userId],
    );
    if (rows.length === 0) return false;
    await tx.query(`DELETE FROM recovery_codes WHERE user_id = $1`, [userId]);
    return true;
  }

  /** Replaces all recovery codes, if the user has an authenticator app. @returns false, with nothing changed, if not */
  async replaceRecoveryCodes(tx: Queryable, userId: string, hashes: readonly string[], at: Date): Promise<boolean> {
    // The lock serializes two replacements, and a removal.
    const locked = await tx.query(
      `SELECT user_id FROM totp_factors WHERE user_id = $1 AND secret IS NOT NULL FOR UPDATE`,
      [userId],
    );
    if (locked.length === 0) return false;
    await tx.query(`DELETE FROM recovery_codes WHERE user_id = $1`, [userId]);
    await tx.query(
      `INSERT INTO recovery_codes (user_id, hash, created_at) SELECT $1, hash, $3 FROM unnest($2::text[]) AS hash`,
      [userId, hashes, at],
    );
    return true;
  }

  /** Uses a recovery code. @returns false if the user has no such code, or used it before */
  async useRecoveryCode(tx: Queryable, userId: string, hash: string, at: Date): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND hash = $2 AND used_at IS NULL RETURNING hash`,
      [userId, hash, at],
    );
    return rows.length === 1;
  }

  async unusedRecoveryCodes(userId: string, on: Queryable = this.db): Promise<number> {
    const [row] = await on.query<{ count: number }>(
      `SELECT count(*) AS count FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL`,
      [userId],
    );
    return row?.count ?? 0;
  }
}
