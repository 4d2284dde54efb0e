import type { Database, Queryable } from '../../database.js';
import type { SsoCodeRow, SsoFlowRow } from '../../rows.js';

/** Single sign-ons that are under way. Each is used once. */
export class SsoFlows {
  constructor(private readonly db: Database) {}

  /** Stores one that begins, and deletes those that expired. */
  async add(row: SsoFlowRow, now: Date): Promise<void> {
    await this.db.query(`DELETE FROM sso_flows WHERE expires_at <= $1`, [now]);
    await this.db.query(
      `INSERT INTO sso_flows (state_hash, browser_hash, organization_id, issuer, client_id, secrets, max_age_seconds, client,
         target, challenge, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        ...[row.state_hash, row.browser_hash, row.organization_id, row.issuer, row.client_id, row.secrets],
        ...[row.max_age_seconds, row.client, row.target, row.challenge, row.expires_at],
      ],
    );
  }

  /** Uses one that this browser began. @returns null if it did not, or it was used before or expired */
  async take(stateHash: string, browserHash: string, now: Date): Promise<SsoFlowRow | null> {
    const [row] = await this.db.query<SsoFlowRow>(
      `DELETE FROM sso_flows WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3 RETURNING *`,
      [stateHash, browserHash, now],
    );
    return row ?? null;
  }

  /** Stores what gets a program its session, and deletes what expired. */
  async addCode(tx: Queryable, row: SsoCodeRow, now: Date): Promise<void> {
    await tx.query(`DELETE FROM sso_codes WHERE expires_at <= $1`, [now]);
    await tx.query(
      `INSERT INTO sso_codes (hash, user_id, challenge, second_factor, confirmed_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [row.hash, row.user_id, row.challenge, row.second_factor, row.confirmed_at, row.expires_at],
    );
  }

  /** Uses a code, also if what the program keeps does not fit it. @returns null if it was used before or expired */
  async takeCode(hash: string, now: Date): Promise<SsoCodeRow | null> {
    const [row] = await this.db.query<SsoCodeRow>(
      `DELETE FROM sso_codes WHERE hash = $1 AND expires_at > $2 RETURNING *`,
      [hash, now],
    );
    return row ?? null;
  }
}

/** The sign-ins of the user that wait for their program do not succeed any more. */
export async function endSsoCodes(tx: Queryable, userId: string): Promise<void> {
  await tx.query(`DELETE FROM sso_codes WHERE user_id = $1`, [userId]);
}
