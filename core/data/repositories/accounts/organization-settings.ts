import type { Database, Queryable } from '../../database.js';
import type { OrganizationRow } from '../../rows.js';
import { withLockedOrganization } from './locked-organization.js';

/** What members with the right role may change of their organization; absent members stay unchanged. */
export type OrganizationChanges = Partial<
  Pick<OrganizationRow, 'name' | 'contact_email' | 'key_reveal' | 'session_idle_minutes' | 'second_factor_required'>
>;

export class OrganizationSettings {
  constructor(private readonly db: Database) {}

  async get(id: string, on: Queryable = this.db): Promise<OrganizationRow | null> {
    const [row] = await on.query<OrganizationRow>(`SELECT * FROM organizations WHERE id = $1`, [id]);
    return row ?? null;
  }

  /** Runs one change after another. */
  exclusively<T>(id: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return withLockedOrganization(this.db, id, work);
  }

  async set(tx: Queryable, row: OrganizationRow): Promise<void> {
    await tx.query(
      `UPDATE organizations SET name = $2, contact_email = $3, key_reveal = $4, session_idle_minutes = $5,
         second_factor_required = $6
       WHERE id = $1`,
      [row.id, row.name, row.contact_email, row.key_reveal, row.session_idle_minutes, row.second_factor_required],
    );
  }
}
