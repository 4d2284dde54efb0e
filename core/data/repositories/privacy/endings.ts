import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { OrganizationEndingRow, OrganizationRow } from '../../rows.js';
import { WorkRows } from './work.js';

/** The ends of organizations. They tell what happened after the organization itself is gone. */
export class Endings extends WorkRows<OrganizationEndingRow> {
  constructor(private readonly database: Database) {
    super(database, 'organization_endings');
  }

  /** Null for a malformed id, and for an organization that has not ended. */
  async ofOrganization(organizationId: string, on: Queryable = this.database): Promise<OrganizationEndingRow | null> {
    if (!isId(organizationId)) return null;
    const [row] = await on.query<OrganizationEndingRow>(
      `SELECT * FROM organization_endings WHERE organization_id = $1`,
      [organizationId],
    );
    return row ?? null;
  }

  /** Runs `work` with the organization locked against every change of its members, keys and projects. */
  exclusively<T>(
    organizationId: string,
    work: (tx: Queryable, organization: OrganizationRow | null) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (tx) => {
      const [row] = isId(organizationId)
        ? await tx.query<OrganizationRow>(`SELECT * FROM organizations WHERE id = $1 FOR UPDATE`, [organizationId])
        : [];
      return work(tx, row ?? null);
    });
  }

  /** Ends everything with which people and programs reach the organization. */
  async close(tx: Queryable, organizationId: string, at: Date): Promise<void> {
    const of = [organizationId, at];
    await tx.query(
      `UPDATE organizations SET ended_at = $2, suspended_at = coalesce(suspended_at, $2) WHERE id = $1`,
      of,
    );
    await tx.query(
      `UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2), kept_secret = NULL, kept_at = NULL
       WHERE organization_id = $1`,
      of,
    );
    await tx.query(
      `UPDATE sessions SET revoked_at = $2, revoked_reason = 'organization_ended'
       WHERE organization_id = $1 AND revoked_at IS NULL`,
      of,
    );
    await tx.query(`UPDATE users SET disabled_at = coalesce(disabled_at, $2) WHERE organization_id = $1`, of);
    await tx.query(
      `UPDATE invites SET status = 'revoked', decided_at = $2 WHERE organization_id = $1 AND status = 'pending'`,
      of,
    );
    await tx.query(`UPDATE widgets SET revoked_at = coalesce(revoked_at, $2) WHERE organization_id = $1`, of);
    await tx.query(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'organization_ended'
       WHERE project_id IN (SELECT id FROM projects WHERE organization_id = $1)`,
      [organizationId],
    );
    await tx.query(`UPDATE privacy_jobs SET due_at = NULL, version = version + 1 WHERE organization_id = $1`, [
      organizationId,
    ]);
  }
}
