import type { Database } from '../../database.js';

/** An engine that a softphone is registered at. */
export interface SoftphonePlace {
  readonly engine_id: string;
  /** Whether other engines can call the softphone there now. */
  readonly dialable: boolean;
}

/** An agent's softphone at an engine. */
export interface AgentRegistration {
  readonly aor: string;
  /** Name of the engine. */
  readonly engine: string;
  /** Null if the phone was registered before the owner of the engine watched it. */
  readonly since: Date | null;
}

/** Softphone registrations per engine. The owner process of each engine maintains them. */
export class Registrations {
  constructor(private readonly db: Database) {}

  /** Replaces the engine's registrations with this list. It is unknown since when new ones are registered. */
  async replace(engineId: string, aors: readonly string[]): Promise<void> {
    await this.db.query(
      `WITH gone AS (DELETE FROM softphone_registrations WHERE engine_id = $1 AND NOT (aor = ANY ($2::text[])))
       INSERT INTO softphone_registrations (engine_id, aor) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
      [engineId, aors],
    );
  }

  async add(engineId: string, aor: string): Promise<void> {
    await this.db.query(
      `INSERT INTO softphone_registrations (engine_id, aor, since) VALUES ($1, $2, clock_timestamp()) ON CONFLICT DO NOTHING`,
      [engineId, aor],
    );
  }

  async remove(engineId: string, aor: string): Promise<void> {
    await this.db.query('DELETE FROM softphone_registrations WHERE engine_id = $1 AND aor = $2', [engineId, aor]);
  }

  /** The registrations of a project's agents, by SIP user name and engine. */
  ofProject(projectId: string): Promise<AgentRegistration[]> {
    return this.db.query<AgentRegistration>(
      `SELECT agents.aor, engines.name AS engine, since
       FROM softphone_registrations AS place
       JOIN agents ON agents.aor = place.aor
       JOIN engines ON engines.id = place.engine_id
       WHERE agents.project_id = $1 AND engines.removed_at IS NULL ORDER BY agents.aor, engines.name`,
      [projectId],
    );
  }

  /** The engines where the softphone is registered, without removed ones, by name. */
  placesOf(aor: string): Promise<SoftphonePlace[]> {
    return this.db.query<SoftphonePlace>(
      `SELECT engine_id, coalesce(
         owner IS NOT NULL AND lease_expires_at > clock_timestamp() AND status = 'up'
           AND sip_status IS DISTINCT FROM 'down' AND sip_host IS NOT NULL, false) AS dialable
       FROM softphone_registrations JOIN engines ON engines.id = engine_id
       WHERE aor = $1 AND removed_at IS NULL ORDER BY engines.name`,
      [aor],
      { prepared: true },
    );
  }
}
