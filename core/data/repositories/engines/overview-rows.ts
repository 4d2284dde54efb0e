import type { Database } from '../../database.js';

/** An agent's softphone. */
export interface PhoneRow {
  readonly agent: string;
  readonly name: string;
  readonly project: string;
  readonly project_id: string;
  readonly registered: boolean;
  /** The first number whose calls ring it; null if there is none. */
  readonly number: string | null;
}

/** An assigned live number. */
export interface ReachRow {
  readonly number: string;
  readonly project: string;
  /** Type of the destination of calls to it; null if there is none. */
  readonly type: string | null;
  /** The destination by the name that people know; null if its type says all. */
  readonly target: string | null;
}

/** A webhook endpoint that fails, or that was disabled because it failed. */
export interface TroubledEndpoint {
  readonly id: string;
  readonly project: string;
  readonly disabled_reason: string | null;
  readonly failing_since: Date | null;
}

/** The beginning of a list, and how many rows the whole list has. */
export interface Page<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

const IS_REGISTERED = `EXISTS (
  SELECT FROM softphone_registrations AS place JOIN engines ON engines.id = place.engine_id
  WHERE place.aor = agents.aor AND engines.removed_at IS NULL
)`;

/** The phones and numbers of all projects, as the operator sees them. */
export class OverviewRows {
  constructor(private readonly db: Database) {}

  /** Registered phones first. */
  async phones(limit: number): Promise<Page<PhoneRow> & { readonly registered: number }> {
    const [counted] = await this.db.query<{ total: number; registered: number }>(
      `SELECT count(*)::int AS total, count(*) FILTER (WHERE ${IS_REGISTERED})::int AS registered FROM agents`,
    );
    const rows = await this.db.query<PhoneRow>(
      `SELECT agent, display_name AS name, projects.name AS project, project_id, ${IS_REGISTERED} AS registered, (
         SELECT e164 FROM numbers
         WHERE numbers.project_id = agents.project_id AND state = 'assigned' AND NOT sandbox
           AND binding->>'type' = 'agent' AND binding->>'target' = agents.agent
         ORDER BY numbers.id LIMIT 1
       ) AS number
       FROM agents JOIN projects ON projects.id = agents.project_id
       ORDER BY registered DESC, projects.name, agent LIMIT $1`,
      [limit],
    );
    return { total: counted?.total ?? 0, registered: counted?.registered ?? 0, rows };
  }

  async numbers(limit: number): Promise<Page<ReachRow>> {
    const [counted] = await this.db.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM numbers WHERE state = 'assigned' AND NOT sandbox`,
    );
    const rows = await this.db.query<ReachRow>(
      `SELECT e164 AS number, projects.name AS project, binding->>'type' AS type,
         coalesce(queues.name, callflows.name, binding->>'target') AS target
       FROM numbers JOIN projects ON projects.id = numbers.project_id
       LEFT JOIN queues ON binding->>'type' = 'queue' AND queues.id::text = binding->>'target'
       LEFT JOIN callflows ON binding->>'type' = 'callflow' AND callflows.id::text = binding->>'target'
       WHERE numbers.state = 'assigned' AND NOT numbers.sandbox
       ORDER BY projects.name, e164 LIMIT $1`,
      [limit],
    );
    return { total: counted?.total ?? 0, rows };
  }

  /** Live endpoints only, oldest first. */
  troubledEndpoints(): Promise<TroubledEndpoint[]> {
    return this.db.query<TroubledEndpoint>(
      `SELECT endpoint.id, projects.name AS project, disabled_reason, failing_since
       FROM webhook_endpoints AS endpoint JOIN projects ON projects.id = endpoint.project_id
       WHERE NOT sandbox AND (failing_since IS NOT NULL OR disabled_reason IN ('gone', 'failing'))
       ORDER BY endpoint.id`,
    );
  }
}
