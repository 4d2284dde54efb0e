import type { Database } from '../../database.js';

/** What agents see of one another. */
export interface ColleagueRow {
  readonly agent: string;
  readonly display_name: string;
}

/** The agents of a project, as their colleagues look for them. */
export class ColleagueRows {
  constructor(private readonly db: Database) {}

  /** Every agent, by extension. */
  list(projectId: string): Promise<ColleagueRow[]> {
    return this.db.query<ColleagueRow>(
      `SELECT agent, display_name FROM agents WHERE project_id = $1 ORDER BY agent`,
      [projectId],
      { prepared: true },
    );
  }

  /** Of these extensions, those that a call rings: their softphone, or a browser that takes calls, is registered. */
  async reachable(projectId: string, agents: readonly string[], at: Date): Promise<ReadonlySet<string>> {
    const rows = await this.db.query<{ agent: string }>(
      `SELECT agents.agent FROM agents JOIN softphone_registrations AS phone ON phone.aor = agents.aor
       WHERE agents.project_id = $1 AND agents.agent = ANY ($2)
       UNION
       SELECT session.agent FROM web_calling_sessions AS session
       JOIN softphone_registrations AS browser ON browser.aor = session.aor
       WHERE session.project_id = $1 AND session.agent = ANY ($2) AND (session.rights->>'incoming')::boolean
         AND session.ended_at IS NULL AND session.expires_at > $3`,
      [projectId, agents, at],
    );
    return new Set(rows.map(({ agent }) => agent));
  }
}
