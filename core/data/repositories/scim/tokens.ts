import type { Database, Queryable } from '../../database.js';
import type { OrganizationRow, ScimTokenRow } from '../../rows.js';
import { Joined, JOINED_ORGANIZATION } from '../accounts/joined.js';

/** A token with its organization. */
export interface OwnedScimToken {
  readonly token: ScimTokenRow;
  readonly organization: OrganizationRow;
}

const JOINED_TOKEN = new Joined<ScimTokenRow>('token', {
  id: true,
  organization_id: true,
  prefix: true,
  hash: true,
  keys_of_leavers: true,
  created_at: true,
  last_used_at: true,
});

const FIND = `
  SELECT ${JOINED_TOKEN.columns}, ${JOINED_ORGANIZATION.columns}
  FROM scim_tokens AS token JOIN organizations AS organization ON organization.id = token.organization_id
  WHERE token.hash = $1`;

/** The tokens of directories, one for each organization. */
export class ScimTokens {
  constructor(private readonly db: Database) {}

  async get(organizationId: string): Promise<ScimTokenRow | null> {
    const [row] = await this.db.query<ScimTokenRow>(`SELECT * FROM scim_tokens WHERE organization_id = $1`, [
      organizationId,
    ]);
    return row ?? null;
  }

  async findByHash(hash: string): Promise<OwnedScimToken | null> {
    const [row] = await this.db.query(FIND, [hash], { prepared: true });
    if (row === undefined) return null;
    return { token: JOINED_TOKEN.rowIn(row), organization: JOINED_ORGANIZATION.rowIn(row) };
  }

  /** Stores the token in place of the one before, which stops working. */
  async put(row: ScimTokenRow, on: Queryable = this.db): Promise<void> {
    await on.query(
      `INSERT INTO scim_tokens (organization_id, id, prefix, hash, keys_of_leavers, created_at, last_used_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (organization_id) DO UPDATE SET id = excluded.id, prefix = excluded.prefix, hash = excluded.hash,
         keys_of_leavers = excluded.keys_of_leavers, created_at = excluded.created_at, last_used_at = NULL`,
      [...[row.organization_id, row.id, row.prefix, row.hash, row.keys_of_leavers, row.created_at], row.last_used_at],
    );
  }

  /** @returns false if there is none */
  async remove(organizationId: string): Promise<boolean> {
    const rows = await this.db.query(`DELETE FROM scim_tokens WHERE organization_id = $1 RETURNING id`, [
      organizationId,
    ]);
    return rows.length === 1;
  }

  /** Records a use, at most once a minute across all processes. */
  async touch(id: string, at: Date): Promise<void> {
    await this.db.query(
      `UPDATE scim_tokens SET last_used_at = $2
       WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 minute')`,
      [id, at],
    );
  }
}
