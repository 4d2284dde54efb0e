import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { IdentityVerificationRow } from '../../rows.js';

type Ending = Pick<IdentityVerificationRow, 'state' | 'reason' | 'registered_elsewhere' | 'ended_at'>;

/** National identities of people, and their attempts to verify them. */
export class Identities {
  constructor(private readonly db: Database) {}

  async isVerified(userId: string): Promise<boolean> {
    const found = await this.db.query(`SELECT FROM identities WHERE user_id = $1`, [userId]);
    return found.length === 1;
  }

  async isRegisteredElsewhere(hash: string, organizationId: string, on: Queryable = this.db): Promise<boolean> {
    const found = await on.query(`SELECT FROM identities WHERE hash = $1 AND organization_id <> $2 LIMIT 1`, [
      hash,
      organizationId,
    ]);
    return found.length === 1;
  }

  /** Whether an owner of the organization has verified the identity. */
  async isOwnerVerified(organizationId: string, on: Queryable = this.db): Promise<boolean> {
    const found = await on.query(
      `SELECT FROM identities AS identity JOIN users AS person ON person.id = identity.user_id
       WHERE identity.organization_id = $1 AND person.role = 'owner' AND person.disabled_at IS NULL LIMIT 1`,
      [organizationId],
    );
    return found.length === 1;
  }

  /** The language of the person. */
  async localeOf(userId: string): Promise<'ar' | 'en'> {
    const [row] = await this.db.query<{ locale: 'ar' | 'en' }>(`SELECT locale FROM users WHERE id = $1`, [userId]);
    return row?.locale ?? 'ar';
  }

  /** Stores an attempt. The person's earlier ones that are still pending expire. */
  async insert(row: IdentityVerificationRow): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.query(
        `UPDATE identity_verifications SET state = 'expired', ended_at = $2 WHERE user_id = $1 AND state = 'pending'`,
        [row.user_id, row.created_at],
      );
      await tx.query(
        `INSERT INTO identity_verifications SELECT * FROM jsonb_populate_record(NULL::identity_verifications, $1)`,
        [JSON.stringify(row)],
      );
    });
  }

  async get(userId: string, id: string): Promise<IdentityVerificationRow | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<IdentityVerificationRow>(
      `SELECT * FROM identity_verifications WHERE id = $1 AND user_id = $2`,
      [id, userId],
    );
    return row ?? null;
  }

  /** Newest first, only those before `beforeId`. */
  page(userId: string, beforeId: string | null, limit: number): Promise<IdentityVerificationRow[]> {
    return this.db.query<IdentityVerificationRow>(
      `SELECT * FROM identity_verifications WHERE user_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [userId, beforeId, limit],
    );
  }

  /** Takes the pending verifications whose provider is to be asked. Each is due again after a growing pause. */
  take(now: Date, limit: number): Promise<IdentityVerificationRow[]> {
    return this.db.query<IdentityVerificationRow>(
      `UPDATE identity_verifications AS kept SET checks = checks + 1,
         next_check_at = $1::timestamptz + make_interval(secs => least(60, 5 * power(2, least(checks, 4))))
       WHERE id IN (
         SELECT id FROM identity_verifications WHERE state = 'pending' AND next_check_at <= $1
         ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED
       )
       RETURNING *`,
      [now, limit],
    );
  }

  /** Takes one, if its provider was not asked for `pauseSeconds`. @returns false if it was, or it has ended */
  async takeOne(id: string, now: Date, pauseSeconds: number): Promise<boolean> {
    const taken = await this.db.query(
      `UPDATE identity_verifications SET asked_at = $2
       WHERE id = $1 AND state = 'pending' AND (asked_at IS NULL OR asked_at <= $2::timestamptz - make_interval(secs => $3))
       RETURNING id`,
      [id, now, pauseSeconds],
    );
    return taken.length === 1;
  }

  /** Takes the lock of one verification. */
  async lock(id: string, tx: Queryable): Promise<IdentityVerificationRow | null> {
    if (!isId(id)) return null;
    const [row] = await tx.query<IdentityVerificationRow>(
      `SELECT * FROM identity_verifications WHERE id = $1 FOR UPDATE`,
      [id],
    );
    return row ?? null;
  }

  /** Until the transaction ends, no other registers this identity. */
  async lockIdentity(hash: string, tx: Queryable): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('identity ' || $1, 0))`, [hash]);
  }

  async end(id: string, ending: Ending, tx: Queryable): Promise<IdentityVerificationRow> {
    const [row] = await tx.query<IdentityVerificationRow>(
      `UPDATE identity_verifications SET state = $2, reason = $3, registered_elsewhere = $4, ended_at = $5
       WHERE id = $1 RETURNING *`,
      [id, ending.state, ending.reason, ending.registered_elsewhere, ending.ended_at],
    );
    if (!row) throw new Error(`the verification ${id} is gone although it is locked`);
    return row;
  }

  /** The person's identity from now on. */
  async register(row: IdentityVerificationRow, at: Date, tx: Queryable): Promise<void> {
    await tx.query(
      `INSERT INTO identities (user_id, organization_id, hash, last4, verified_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (user_id) DO NOTHING`,
      [row.user_id, row.organization_id, row.hash, row.last4, at],
    );
  }
}
