import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { InviteRow } from '../../rows.js';

/** An invitation with the names that its list shows. */
export interface InviteView extends InviteRow {
  /** Null once that member is gone. */
  readonly inviter: string | null;
  readonly organization: string;
}

const VIEW = `
  SELECT invite.*, inviter.name AS inviter, organization.name AS organization
  FROM invites AS invite
  JOIN organizations AS organization ON organization.id = invite.organization_id
  LEFT JOIN users AS inviter ON inviter.id = invite.invited_by`;

export class Invites {
  constructor(private readonly db: Database) {}

  /** Newest first, those before `beforeId`. */
  page(organizationId: string, beforeId: string | null, limit: number): Promise<InviteView[]> {
    return this.db.query<InviteView>(
      `${VIEW} WHERE invite.organization_id = $1 AND ($2::uuid IS NULL OR invite.id < $2) ORDER BY invite.id DESC LIMIT $3`,
      [organizationId, beforeId, limit],
    );
  }

  /** Null for a malformed id, and for an invitation of another organization. @param lock until the end of the transaction */
  async get(organizationId: string, id: string, on: Queryable = this.db, lock = false): Promise<InviteView | null> {
    if (!isId(id)) return null;
    const [row] = await on.query<InviteView>(
      `${VIEW} WHERE invite.id = $2 AND invite.organization_id = $1${lock ? ' FOR UPDATE OF invite' : ''}`,
      [organizationId, id],
    );
    return row ?? null;
  }

  async byToken(tokenHash: string, on: Queryable = this.db, lock = false): Promise<InviteView | null> {
    const [row] = await on.query<InviteView>(
      `${VIEW} WHERE invite.token_hash = $1${lock ? ' FOR UPDATE OF invite' : ''}`,
      [tokenHash],
    );
    return row ?? null;
  }

  /** @throws a unique violation of `invites_pending` if the address has a pending invitation */
  async add(tx: Queryable, row: InviteRow): Promise<void> {
    await tx.query(
      `INSERT INTO invites (id, organization_id, email, role, project_ids, agent, locale, token_hash, status, invited_by,
         created_at, sent_at, expires_at, decided_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
      [
        row.id,
        row.organization_id,
        row.email,
        row.role,
        row.project_ids,
        row.agent,
        row.locale,
        row.token_hash,
        row.status,
        row.invited_by,
        row.created_at,
        row.sent_at,
        row.expires_at,
        row.decided_at,
      ],
    );
  }

  /** Ends the pending invitation of this address, if there is one. */
  async revokePending(tx: Queryable, organizationId: string, email: string, at: Date): Promise<void> {
    await tx.query(
      `UPDATE invites SET status = 'revoked', decided_at = $3
       WHERE organization_id = $1 AND email = $2 AND status = 'pending'`,
      [organizationId, email, at],
    );
  }

  /** @returns false if the invitation is pending no more */
  async decide(tx: Queryable, id: string, status: 'accepted' | 'revoked', at: Date): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE invites SET status = $2, decided_at = $3 WHERE id = $1 AND status = 'pending' RETURNING id`,
      [id, status, at],
    );
    return rows.length === 1;
  }

  /** Replaces the token: the link of the mail before does not work any more. */
  async renew(
    tx: Queryable,
    id: string,
    change: Pick<InviteRow, 'token_hash' | 'sent_at' | 'expires_at'>,
  ): Promise<void> {
    await tx.query(`UPDATE invites SET token_hash = $2, sent_at = $3, expires_at = $4 WHERE id = $1`, [
      id,
      change.token_hash,
      change.sent_at,
      change.expires_at,
    ]);
  }
}
