import type { Database, Queryable } from '../../database.js';
import { agentsOf } from '../../models/tables.js';
import type { CallForwarding } from '../../../model/call/forwarding.js';
import type { AgentRow } from '../../rows.js';
import { ENDED_ORGANIZATIONS } from './organizations.js';

/** What an agent's softphone may call outside the platform; absent members stay unchanged. */
export type CallingOut = Partial<Pick<AgentRow, 'may_call_out' | 'destination_classes' | 'caller_id_number'>>;

export class Agents {
  readonly #table;

  constructor(private readonly db: Database) {
    this.#table = agentsOf(db);
  }

  /**
   * @throws a unique violation of `agents_extension` (in the project) or `agents_aor` (in the
   * installation).
   */
  create(row: AgentRow, on?: Queryable): Promise<void> {
    return this.#table.insert(row, on);
  }

  /** Every agent of the installation, for the engines; without those of organizations that have ended. */
  list(): Promise<AgentRow[]> {
    return this.db.query<AgentRow>(
      `SELECT * FROM agents WHERE organization_id NOT IN (${ENDED_ORGANIZATIONS}) ORDER BY id`,
    );
  }

  listByProject(projectId: string): Promise<AgentRow[]> {
    return this.#table.find({ project_id: projectId }, ['agent']);
  }

  /** A page of {@link listByProject}. @param after the extension of the last agent of the page before */
  page(projectId: string, after: string | null, limit: number): Promise<AgentRow[]> {
    return this.db.query<AgentRow>(
      `SELECT * FROM agents WHERE project_id = $1 AND ($2::text IS NULL OR agent > $2) ORDER BY agent LIMIT $3`,
      [projectId, after, limit],
    );
  }

  async findByExtension(projectId: string, agent: string): Promise<AgentRow | null> {
    const [row] = await this.db.query<AgentRow>(
      `SELECT * FROM agents WHERE project_id = $1 AND agent = $2`,
      [projectId, agent],
      { prepared: true },
    );
    return row ?? null;
  }

  /** Null for an agent of an organization that has ended, too: its softphone calls nobody. */
  async findByAor(aor: string): Promise<AgentRow | null> {
    const [agent = null] = await this.findByAors([aor]);
    return agent;
  }

  /** @returns the agent of each softphone, as {@link findByAor} does, in the same order */
  async findByAors(aors: readonly string[]): Promise<(AgentRow | null)[]> {
    const rows = await this.db.query<AgentRow>(
      `SELECT * FROM agents WHERE aor = ANY ($1) AND organization_id NOT IN (${ENDED_ORGANIZATIONS})`,
      [aors],
      { prepared: true },
    );
    const byAor = new Map(rows.map((row) => [row.aor, row]));
    return aors.map((aor) => byAor.get(aor) ?? null);
  }

  /**
   * Sets whether the agent may call out, and with which caller id. @returns false if there is no
   * such agent.
   */
  async setCallingOut(projectId: string, agent: string, change: CallingOut): Promise<boolean> {
    return (await this.#table.update({ project_id: projectId, agent }, change)) === 1;
  }

  /** Sets whether the agent's calls are recorded. @returns false if there is no such agent. */
  async setRecordCalls(projectId: string, agent: string, record_calls: boolean): Promise<boolean> {
    return (await this.#table.update({ project_id: projectId, agent }, { record_calls })) === 1;
  }

  /** Sets the agent's profile. @returns false if there is no such agent. */
  async setProfile(
    projectId: string,
    agent: string,
    change: Partial<Pick<AgentRow, 'display_name' | 'priority' | 'skills'>>,
  ): Promise<boolean> {
    return (await this.#table.update({ project_id: projectId, agent }, change)) === 1;
  }

  /**
   * Changes where the agent's calls are forwarded to. Two changes at the same moment both count.
   * @returns the agent before and after; null if there is none
   */
  async setForwarding(
    tx: Queryable,
    projectId: string,
    agent: string,
    change: Partial<CallForwarding>,
  ): Promise<{ readonly before: AgentRow; readonly after: AgentRow } | null> {
    const [before] = await tx.query<AgentRow>(`SELECT * FROM agents WHERE project_id = $1 AND agent = $2 FOR UPDATE`, [
      projectId,
      agent,
    ]);
    if (!before) return null;
    const [after] = await tx.query<AgentRow>(
      `UPDATE agents SET forwarding = forwarding || $2::jsonb WHERE id = $1 RETURNING *`,
      [before.id, JSON.stringify(change)],
    );
    return after ? { before, after } : null;
  }

  /**
   * Removes the agent if neither its softphone nor a browser of it has a live leg, in whatever role; its web calling sessions end. @returns false if it has one, and if there is
   * no such agent.
   */
  async removeUnlessOnCall(projectId: string, agent: string): Promise<boolean> {
    const removed = await this.db.query<{ id: string }>(
      `WITH removed AS (
         DELETE FROM agents WHERE project_id = $1 AND agent = $2
           AND NOT EXISTS (
             SELECT FROM legs WHERE status <> 'ended' AND (endpoint->>'aor' = agents.aor OR endpoint->>'aor' IN (
               SELECT aor FROM web_calling_sessions AS session
               WHERE session.project_id = $1 AND session.agent = $2 AND ended_at IS NULL)))
         RETURNING id, project_id, agent
       ), ended AS (
         UPDATE web_calling_sessions AS session SET ended_at = clock_timestamp(), end_reason = 'agent_removed' FROM removed
         WHERE session.project_id = removed.project_id AND session.agent = removed.agent AND ended_at IS NULL
         RETURNING session.aor
       ), forgotten AS (
         DELETE FROM sip_contacts WHERE browser_aor IN (SELECT aor FROM ended)
       ), blocked AS (
         DELETE FROM blocked_callers AS entry USING removed
         WHERE entry.project_id = removed.project_id AND entry.agent = removed.agent
       ), allowed AS (
         DELETE FROM allowed_callers AS entry USING removed
         WHERE entry.project_id = removed.project_id AND entry.agent = removed.agent
       )
       SELECT id FROM removed`,
      [projectId, agent],
    );
    return removed.length === 1;
  }

  /** @param sealed the encrypted password */
  async setPassword(id: string, sealed: string): Promise<void> {
    await this.#table.update({ id }, { sip_password: sealed });
  }
}
