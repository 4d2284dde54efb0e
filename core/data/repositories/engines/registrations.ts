import type { Database } from '../../database.js';

/** An engine that a softphone is registered at. */
export interface SoftphonePlace {
  readonly engine_id: string;
  /** Whether other engines can call the softphone there now. */
  readonly dialable: boolean;
}

/** Softphone registrations per engine. The owner process of each engine maintains them. */
export class Registrations {
  constructor(private readonly db: Database) {}

  /** Replaces the engine's registrations with this list. */
  async replace(engineId: string, aors: readonly string[]): Promise<void> {
    await this.db.query(
      `WITH gone AS (DELETE FROM softphone_registrations WHERE engine_id = $1 AND NOT (aor = ANY ($2::text[])))
       INSERT INTO softphone_registrations (engine_id, aor) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
      [engineId, aors],
    );
  }

  async add(engineId: string, aor: string): Promise<void> {
    await this.db.query(`INSERT INTO softphone_registrations (engine_id, aor) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
      engineId,
      aor,
    ]);
  }

  async remove(engineId: string, aor: string): Promise<void> {
    await this.db.query('DELETE FROM softphone_registrations WHERE engine_id = $1 AND aor = $2', [engineId, aor]);
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
