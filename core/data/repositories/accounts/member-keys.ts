import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { AccountKind, KeyRow } from '../../rows.js';
import { keysOf } from '../../models/tables.js';
import type { MemberReach } from './member-projects.js';

/** A key whose secret may be kept. */
export interface KeptKeyRow extends KeyRow {
  /** Sealed; null if the secret is not kept. */
  readonly kept_secret: string | null;
  readonly kept_at: Date | null;
  readonly created_by: string | null;
}

export type KeyChanges = Partial<
  Pick<KeyRow, 'name' | 'scopes' | 'allowed_ips' | 'rate_limit_per_minute' | 'expires_at'>
>;

/** What decides about a new key, locked against changes until the end of the transaction. */
export interface KeyGround {
  readonly account_kind: AccountKind;
  readonly key_reveal: boolean;
  readonly email_confirmed_at: Date | null;
}

const SEEN = `
  SELECT key.* FROM api_keys AS key JOIN projects AS project ON project.id = key.project_id AND project.removed_at IS NULL
  WHERE key.organization_id = $1 AND ($2::uuid[] IS NULL OR key.project_id = ANY ($2))`;

/** The keys of an organization, as its members manage them. */
export class MemberKeys {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = keysOf(db);
  }

  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.db.transaction(work);
  }

  /** Newest first, those before `beforeId`, with revoked and expired ones. */
  page(
    { organizationId, projectIds }: MemberReach,
    projectId: string | null,
    beforeId: string | null,
    limit: number,
  ): Promise<KeptKeyRow[]> {
    return this.db.query<KeptKeyRow>(
      `${SEEN} AND ($3::uuid IS NULL OR key.project_id = $3) AND ($4::uuid IS NULL OR key.id < $4)
       ORDER BY key.id DESC LIMIT $5`,
      [organizationId, projectIds, projectId, beforeId, limit],
    );
  }

  /** Null for a malformed id and for a key out of reach. @param lock until the end of the transaction */
  async get(
    { organizationId, projectIds }: MemberReach,
    id: string,
    on: Queryable = this.db,
    lock = false,
  ): Promise<KeptKeyRow | null> {
    if (!isId(id)) return null;
    const [row] = await on.query<KeptKeyRow>(`${SEEN} AND key.id = $3${lock ? ' FOR NO KEY UPDATE OF key' : ''}`, [
      organizationId,
      projectIds,
      id,
    ]);
    return row ?? null;
  }

  /** Null if the organization has no such project. */
  async ground(tx: Queryable, projectId: string, organizationId: string, userId: string): Promise<KeyGround | null> {
    const [row] = await tx.query<KeyGround>(
      `SELECT organization.account_kind, organization.key_reveal, member.email_confirmed_at
       FROM projects AS project
       JOIN organizations AS organization ON organization.id = project.organization_id
       JOIN users AS member ON member.id = $3 AND member.organization_id = organization.id
       WHERE project.id = $1 AND project.organization_id = $2 AND project.removed_at IS NULL
       FOR SHARE OF project, organization`,
      [projectId, organizationId, userId],
    );
    return row ?? null;
  }

  async add(tx: Queryable, { kept_secret, kept_at, created_by, ...row }: KeptKeyRow): Promise<void> {
    await this.#table.insert(row, tx);
    await tx.query(`UPDATE api_keys SET kept_secret = $2, kept_at = $3, created_by = $4 WHERE id = $1`, [
      row.id,
      kept_secret,
      kept_at,
      created_by,
    ]);
  }

  async change(tx: Queryable, id: string, changes: KeyChanges): Promise<void> {
    if (Object.keys(changes).length > 0) await this.#table.update({ id }, changes, tx);
  }

  async replaceSecret(
    tx: Queryable,
    id: string,
    { hash, prefix, kept_secret, kept_at }: Pick<KeptKeyRow, 'hash' | 'prefix' | 'kept_secret' | 'kept_at'>,
  ): Promise<void> {
    await tx.query(`UPDATE api_keys SET hash = $2, prefix = $3, kept_secret = $4, kept_at = $5 WHERE id = $1`, [
      id,
      hash,
      prefix,
      kept_secret,
      kept_at,
    ]);
  }

  /** A repeat keeps the first time. */
  async revoke(tx: Queryable, id: string, at: Date): Promise<void> {
    await tx.query(
      `UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2), kept_secret = NULL, kept_at = NULL WHERE id = $1`,
      [id, at],
    );
  }
}

/** Deletes the kept secrets of the organization's keys. */
export async function forgetSecretsOf(tx: Queryable, organizationId: string): Promise<void> {
  await tx.query(
    `UPDATE api_keys SET kept_secret = NULL, kept_at = NULL WHERE organization_id = $1 AND kept_at IS NOT NULL`,
    [organizationId],
  );
}

/** Deletes kept secrets that are older, up to `limit`. @returns how many */
export async function purgeKeptSecrets(db: Queryable, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `UPDATE api_keys SET kept_secret = NULL, kept_at = NULL
     WHERE id IN (SELECT id FROM api_keys WHERE kept_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`,
    [before, limit],
  );
  return rows.length;
}
