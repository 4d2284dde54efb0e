import type { Role } from '../../../model/access/roles.js';
import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { UserRow } from '../../rows.js';
import { withLockedOrganization } from './locked-organization.js';

/** What an administrator of the organization decides about a member. */
export type MemberSettings = Pick<UserRow, 'role' | 'project_ids' | 'agent'>;

/** The users of an organization, as its administrators manage them. */
export class Members {
  constructor(private readonly db: Database) {}

  /** Oldest first, those after `afterId`. */
  page(organizationId: string, afterId: string | null, limit: number): Promise<UserRow[]> {
    return this.db.query<UserRow>(
      `SELECT * FROM users WHERE organization_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`,
      [organizationId, afterId, limit],
    );
  }

  /** Null for a malformed id, and for a user of another organization. */
  async get(organizationId: string, id: string, on: Queryable = this.db): Promise<UserRow | null> {
    if (!isId(id)) return null;
    const [row] = await on.query<UserRow>(`SELECT * FROM users WHERE organization_id = $1 AND id = $2`, [
      organizationId,
      id,
    ]);
    return row ?? null;
  }

  /** The user with this address, in whatever organization. */
  async byEmail(email: string, on: Queryable = this.db): Promise<UserRow | null> {
    const [row] = await on.query<UserRow>(`SELECT * FROM users WHERE email = $1`, [email]);
    return row ?? null;
  }

  /**
   * Runs one change of the organization's members after another, so that two owners who leave at the same moment do not
   * both count the other one.
   */
  exclusively<T>(organizationId: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return withLockedOrganization(this.db, organizationId, work);
  }

  /** Whether somebody else can act as an owner. */
  async hasOtherOwner(tx: Queryable, organizationId: string, id: string): Promise<boolean> {
    const [row] = await tx.query<{ found: boolean }>(
      `SELECT EXISTS (
         SELECT FROM users WHERE organization_id = $1 AND id <> $2 AND role = 'owner' AND disabled_at IS NULL
       ) AS found`,
      [organizationId, id],
    );
    return row?.found === true;
  }

  async set(tx: Queryable, id: string, { role, project_ids, agent }: MemberSettings): Promise<void> {
    await tx.query(`UPDATE users SET role = $2, project_ids = $3, agent = $4 WHERE id = $1`, [
      id,
      role,
      project_ids,
      agent,
    ]);
  }

  /** Removes the user with its sessions and tokens. */
  async remove(tx: Queryable, id: string): Promise<void> {
    await tx.query(`DELETE FROM users WHERE id = $1`, [id]);
  }

  async roleOf(id: string, on: Queryable = this.db): Promise<Role | null> {
    const [row] = await on.query<{ role: Role }>(`SELECT role FROM users WHERE id = $1`, [id]);
    return row?.role ?? null;
  }

  /** Which of these projects the organization has. */
  async knownProjects(organizationId: string, ids: readonly string[], on: Queryable = this.db): Promise<Set<string>> {
    const rows = await on.query<{ id: string }>(
      `SELECT id FROM projects WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND removed_at IS NULL`,
      [organizationId, ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Whether one of the projects has an agent with this extension. @param projectIds null: all of the organization */
  async hasAgent(
    organizationId: string,
    projectIds: readonly string[] | null,
    agent: string,
    on: Queryable = this.db,
  ): Promise<boolean> {
    const [row] = await on.query<{ found: boolean }>(
      `SELECT EXISTS (
         SELECT FROM agents WHERE organization_id = $1 AND agent = $3 AND ($2::uuid[] IS NULL OR project_id = ANY ($2))
       ) AS found`,
      [organizationId, projectIds, agent],
    );
    return row?.found === true;
  }
}
