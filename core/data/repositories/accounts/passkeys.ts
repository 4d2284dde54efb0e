import type { Database, Queryable } from '../../database.js';

export interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  /** The authenticator's own ID; base64url. */
  readonly credential_id: string;
  /** COSE, base64url. */
  readonly public_key: string;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
  /** Whether the passkey is kept by an account of the device's maker, and so on several devices. */
  readonly is_synced: boolean;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** The passkeys of users, and the challenges that they sign. */
export class Passkeys {
  constructor(private readonly db: Database) {}

  /** Stores a challenge, and deletes expired ones. @param userId null for a sign-in */
  async addChallenge(challenge: string, userId: string | null, expiresAt: Date, now: Date): Promise<void> {
    await this.db.query(`DELETE FROM passkey_challenges WHERE expires_at <= $1`, [now]);
    await this.db.query(`INSERT INTO passkey_challenges (challenge, user_id, expires_at) VALUES ($1, $2, $3)`, [
      challenge,
      userId,
      expiresAt,
    ]);
  }

  /** Uses a challenge. @returns false if it is unknown, expired, used before, or another user's */
  async useChallenge(challenge: string, userId: string | null, now: Date): Promise<boolean> {
    const rows = await this.db.query(
      `DELETE FROM passkey_challenges
       WHERE challenge = $1 AND user_id IS NOT DISTINCT FROM $2::uuid AND expires_at > $3 RETURNING challenge`,
      [challenge, userId, now],
    );
    return rows.length === 1;
  }

  /**
   * Adds a passkey unless its user has `most` already. @returns false, with nothing added, in that case. Violates
   * `passkeys_credential` if the passkey is known.
   */
  async add(tx: Queryable, row: PasskeyRow, most: number): Promise<boolean> {
    // The lock serializes two additions.
    await tx.query(`SELECT id FROM users WHERE id = $1 FOR UPDATE`, [row.user_id]);
    const rows = await tx.query(
      `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
       WHERE (SELECT count(*) FROM passkeys WHERE user_id = $2) < $10 RETURNING id`,
      [
        row.id,
        row.user_id,
        row.credential_id,
        row.public_key,
        row.counter,
        row.transports,
        row.name,
        row.is_synced,
        row.created_at,
        most,
      ],
    );
    return rows.length === 1;
  }

  async findByCredential(credentialId: string): Promise<PasskeyRow | null> {
    const [row] = await this.db.query<PasskeyRow>(`SELECT * FROM passkeys WHERE credential_id = $1`, [credentialId]);
    return row ?? null;
  }

  /** A user's passkeys, oldest first. */
  list(userId: string): Promise<PasskeyRow[]> {
    return this.db.query<PasskeyRow>(`SELECT * FROM passkeys WHERE user_id = $1 ORDER BY id`, [userId]);
  }

  /**
   * Records a use. @returns false if the passkey is gone, or its count does not go up: a copy of it, or a repeated
   * answer
   */
  async use(id: string, counter: number, at: Date): Promise<boolean> {
    const rows = await this.db.query(
      `UPDATE passkeys SET counter = $2, last_used_at = $3
       WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING id`,
      [id, counter, at],
    );
    return rows.length === 1;
  }

  /** @returns false if the user has no such passkey */
  async remove(tx: Queryable, userId: string, id: string): Promise<boolean> {
    return (
      (await tx.query(`DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING id`, [userId, id])).length === 1
    );
  }
}
