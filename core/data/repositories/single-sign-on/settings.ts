import type { Database, Queryable } from '../../database.js';
import type { SsoSettingsRow } from '../../rows.js';

/** The identity providers of organizations. */
export class SsoSettings {
  constructor(private readonly db: Database) {}

  async get(organizationId: string, on: Queryable = this.db): Promise<SsoSettingsRow | null> {
    const [row] = await on.query<SsoSettingsRow>(`SELECT * FROM sso_settings WHERE organization_id = $1`, [
      organizationId,
    ]);
    return row ?? null;
  }

  /** Stores the settings in place of those before. */
  async put(tx: Queryable, row: SsoSettingsRow): Promise<void> {
    await tx.query(
      `INSERT INTO sso_settings (organization_id, issuer, client_id, client_secret, client_authentication, scopes, group_claim,
         group_roles, default_role, default_project_ids, admits_owners, enabled, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, $11, $12, $13, $14)
       ON CONFLICT (organization_id) DO UPDATE SET
         issuer = excluded.issuer, client_id = excluded.client_id, client_secret = excluded.client_secret,
         client_authentication = excluded.client_authentication, scopes = excluded.scopes,
         group_claim = excluded.group_claim, group_roles = excluded.group_roles, default_role = excluded.default_role,
         default_project_ids = excluded.default_project_ids, admits_owners = excluded.admits_owners,
         enabled = excluded.enabled, updated_at = excluded.updated_at`,
      [
        ...[row.organization_id, row.issuer, row.client_id, row.client_secret, row.client_authentication],
        ...[row.scopes, row.group_claim, JSON.stringify(row.group_roles), row.default_role, row.default_project_ids],
        ...[row.admits_owners, row.enabled, row.created_at, row.updated_at],
      ],
    );
  }

  /** @returns false if there are none */
  async remove(tx: Queryable, organizationId: string): Promise<boolean> {
    const rows = await tx.query(`DELETE FROM sso_settings WHERE organization_id = $1 RETURNING issuer`, [
      organizationId,
    ]);
    return rows.length === 1;
  }
}
