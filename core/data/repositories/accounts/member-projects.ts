import { CALL_STATUSES, isFinal } from '../../../model/call/call.js';
import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import { withLockedOrganization } from './locked-organization.js';
import { projectsOf } from '../../models/tables.js';
import type { ProjectRow } from '../../rows.js';

/** What a member may see: of the organization, and there of these projects (null: all). */
export interface MemberReach {
  readonly organizationId: string;
  readonly projectIds: readonly string[] | null;
}

/** What keeps a project from being removed. */
export type ProjectHold = 'numbers' | 'orders' | 'calls' | 'money';

const LIVE = CALL_STATUSES.filter((status) => !isFinal(status));

const SEEN = `SELECT * FROM projects WHERE organization_id = $1 AND ($2::uuid[] IS NULL OR id = ANY ($2)) AND removed_at IS NULL`;

/** The projects of an organization, as its members manage them. */
export class MemberProjects {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = projectsOf(db);
  }

  /** Runs one change of the organization's members, keys and projects after another. */
  exclusively<T>(organizationId: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return withLockedOrganization(this.db, organizationId, work);
  }

  /** Oldest first, those after `afterId`. */
  page({ organizationId, projectIds }: MemberReach, afterId: string | null, limit: number): Promise<ProjectRow[]> {
    return this.db.query<ProjectRow>(`${SEEN} AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT $4`, [
      organizationId,
      projectIds,
      afterId,
      limit,
    ]);
  }

  /** Null for a malformed id and for a project out of reach. @param lock against everything until the transaction ends */
  async get(
    { organizationId, projectIds }: MemberReach,
    id: string,
    on: Queryable = this.db,
    lock = false,
  ): Promise<ProjectRow | null> {
    if (!isId(id)) return null;
    const [row] = await on.query<ProjectRow>(`${SEEN} AND id = $3${lock ? ' FOR UPDATE' : ''}`, [
      organizationId,
      projectIds,
      id,
    ]);
    return row ?? null;
  }

  add(row: ProjectRow): Promise<void> {
    return this.#table.insert(row);
  }

  async change(id: string, change: Partial<Pick<ProjectRow, 'name' | 'allowed_origins'>>): Promise<void> {
    await this.#table.update({ id }, change);
  }

  /** The first reason why the project must stay; null if it can go. */
  async holdOf(tx: Queryable, id: string): Promise<ProjectHold | null> {
    const [row] = await tx.query<{ hold: ProjectHold | null }>(
      `SELECT CASE
         WHEN EXISTS (SELECT FROM numbers WHERE project_id = $1 AND state = 'assigned') THEN 'numbers'
         WHEN EXISTS (SELECT FROM numbers WHERE project_id = $1)
           OR EXISTS (SELECT FROM porting_requests WHERE project_id = $1 AND status IN ('submitted', 'in_review', 'scheduled'))
           OR EXISTS (SELECT FROM own_number_claims WHERE project_id = $1 AND status = 'pending') THEN 'orders'
         WHEN EXISTS (SELECT FROM calls WHERE project_id = $1 AND status = ANY ($2)) THEN 'calls'
         WHEN EXISTS (SELECT FROM ledger_accounts WHERE project_id = $1 AND balance <> 0) THEN 'money'
       END AS hold`,
      [id, LIVE],
    );
    return row?.hold ?? null;
  }

  /**
   * Removes the project: its keys, widgets, web calling sessions and webhook endpoints end, its agents, queues and invitations are gone, and
   * nobody is a member of it. What was recorded about its calls and money stays.
   */
  async remove(tx: Queryable, { id, organization_id }: ProjectRow, at: Date): Promise<void> {
    await tx.query(`UPDATE projects SET removed_at = $2 WHERE id = $1`, [id, at]);
    await tx.query(
      `UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2), kept_secret = NULL, kept_at = NULL WHERE project_id = $1`,
      [id, at],
    );
    await tx.query(`UPDATE widgets SET revoked_at = coalesce(revoked_at, $2) WHERE project_id = $1`, [id, at]);
    await tx.query(`UPDATE queues SET removed_at = coalesce(removed_at, $2) WHERE project_id = $1`, [id, at]);
    await tx.query(`DELETE FROM webhook_endpoints WHERE project_id = $1`, [id]);
    await tx.query(
      `UPDATE web_calling_sessions SET ended_at = $2, end_reason = 'revoked' WHERE project_id = $1 AND ended_at IS NULL`,
      [id, at],
    );
    await tx.query(`DELETE FROM agents WHERE project_id = $1`, [id]);
    for (const table of ['users', 'invites']) {
      await tx.query(
        `UPDATE ${table} SET project_ids = array_remove(project_ids, $2)
         WHERE organization_id = $1 AND project_ids @> ARRAY[$2::uuid]`,
        [organization_id, id],
      );
    }
  }
}
