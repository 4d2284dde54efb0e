import type { Database, Queryable } from '../../database.js';
import { numbersOf } from '../../models/tables.js';
import type { Destination, InventoryRow, NumberRow } from '../../rows.js';
import { ENDED_ORGANIZATIONS } from '../accounts/organizations.js';
import type { ProjectKind } from '../project-kind.js';

/** The numbers of projects. */
export class Numbers {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = numbersOf(db);
  }

  /** @throws a unique violation of `numbers_e164` if the number is already in the inventory. */
  create(row: InventoryRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** The assigned live number in any project; null if it is not assigned, or its organization has ended. */
  async findByE164(e164: string): Promise<NumberRow | null> {
    const [row] = await this.db.query<NumberRow>(
      `SELECT * FROM numbers
       WHERE e164 = $1 AND state = 'assigned' AND NOT sandbox AND organization_id NOT IN (${ENDED_ORGANIZATIONS})`,
      [e164],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Whether the demo has or offers the number. */
  async isDemo(e164: string): Promise<boolean> {
    const rows = await this.db.query(
      `SELECT FROM numbers WHERE e164 = $1 AND source = 'demo' AND state <> 'released'`,
      [e164],
      { prepared: true },
    );
    return rows.length > 0;
  }

  /** The assigned number in the project's sandbox; null if it is not assigned there. */
  async findInSandbox(projectId: string, e164: string): Promise<NumberRow | null> {
    const [row] = await this.db.query<NumberRow>(
      `SELECT * FROM numbers WHERE project_id = $1 AND e164 = $2 AND state = 'assigned' AND sandbox`,
      [projectId, e164],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Whether the number was brought and proved by the organization, or by the project in its sandbox. */
  async isVerified(e164: string, owner: { projectId: string; organizationId: string }): Promise<boolean> {
    const rows = await this.db.query<object>(
      `SELECT 1 AS one FROM numbers
       WHERE e164 = $1 AND source = 'own' AND state = 'assigned'
         AND CASE WHEN sandbox THEN project_id = $2 ELSE organization_id = $3 END`,
      [e164, owner.projectId, owner.organizationId],
      { prepared: true },
    );
    return rows.length > 0;
  }

  /** As {@link findByE164} or {@link findInSandbox}; null for a live number of another project, too. */
  async findOf({ projectId, sandbox }: ProjectKind, e164: string): Promise<NumberRow | null> {
    if (sandbox) return this.findInSandbox(projectId, e164);
    const row = await this.findByE164(e164);
    return row?.project_id === projectId ? row : null;
  }

  /** The first live number of the project that rings this agent. */
  async findByAgent(projectId: string, agent: string): Promise<NumberRow | null> {
    const [row] = await this.db.query<NumberRow>(
      `SELECT * FROM numbers
       WHERE project_id = $1 AND state = 'assigned' AND NOT sandbox AND binding->>'type' = 'agent' AND binding->>'target' = $2
       ORDER BY id LIMIT 1`,
      [projectId, agent],
      { prepared: true },
    );
    return row ?? null;
  }

  /** A number of the project, including one that is being ported in. */
  async get({ projectId, sandbox }: ProjectKind, id: string): Promise<NumberRow | null> {
    const [row] = await this.db.query<NumberRow>(
      `SELECT * FROM numbers WHERE id = $1 AND project_id = $2 AND sandbox = $3 AND state <> 'reserved'`,
      [id, projectId, sandbox],
    );
    return row ?? null;
  }

  /** Live numbers assigned to the project, oldest first. */
  async listByProject(projectId: string): Promise<NumberRow[]> {
    const rows = await this.#table.find({ project_id: projectId, sandbox: false, state: 'assigned' }, ['id']);
    return rows as NumberRow[];
  }

  /** A page of {@link listByProject}. @param after the id of the last number of the page before */
  pageByProject(projectId: string, after: string | null, limit: number): Promise<NumberRow[]> {
    return this.db.query<NumberRow>(
      `SELECT * FROM numbers
       WHERE project_id = $1 AND NOT sandbox AND state = 'assigned' AND ($2::uuid IS NULL OR id > $2::uuid)
       ORDER BY id LIMIT $3`,
      [projectId, after, limit],
    );
  }

  /**
   * All numbers of the project and kind, including those being ported in, newest first; only those
   * before `beforeId`.
   */
  page({ projectId, sandbox }: ProjectKind, beforeId: string | null, limit: number): Promise<NumberRow[]> {
    return this.db.query<NumberRow>(
      `SELECT * FROM numbers
       WHERE project_id = $1 AND sandbox = $4 AND state <> 'reserved' AND ($2::uuid IS NULL OR id < $2::uuid)
       ORDER BY id DESC LIMIT $3`,
      [projectId, beforeId, limit, sandbox],
    );
  }

  /** Sets the destination of incoming calls; null removes it. */
  async setBinding(id: string, binding: Destination | null, on?: Queryable): Promise<void> {
    await this.#table.update({ id }, { binding }, on);
  }

  /** @returns null if the project has no such number. */
  async setLabel({ projectId, sandbox }: ProjectKind, id: string, label: string | null): Promise<NumberRow | null> {
    const [row] = await this.db.query<NumberRow>(
      `UPDATE numbers SET label = $3 WHERE id = $1 AND project_id = $2 AND sandbox = $4 RETURNING *`,
      [id, projectId, label, sandbox],
    );
    return row ?? null;
  }

  /** Makes the number the project's default caller id if it has none yet. */
  async setAsMainNumber({ project_id, e164 }: NumberRow, on: Queryable): Promise<void> {
    await on.query(`UPDATE projects SET main_number = $2 WHERE id = $1 AND main_number IS NULL`, [project_id, e164]);
  }

  /**
   * Stops the organization from using the number as a caller id: removes it from its agents, and
   * replaces it as a project's main number by the project's oldest other number.
   */
  async removeAsCallerId({ organization_id, e164 }: NumberRow, on: Queryable): Promise<void> {
    await on.query(
      `UPDATE projects SET main_number = (
         SELECT e164 FROM numbers
         WHERE project_id = projects.id AND state = 'assigned' AND NOT sandbox AND e164 <> $2
           AND NOT EXISTS (SELECT FROM virtual_numbers WHERE number_id = numbers.id AND status = 'assigned')
         ORDER BY assigned_at, id LIMIT 1
       ) WHERE organization_id = $1 AND main_number = $2`,
      [organization_id, e164],
    );
    await on.query(`UPDATE agents SET caller_id_number = NULL WHERE organization_id = $1 AND caller_id_number = $2`, [
      organization_id,
      e164,
    ]);
  }
}
