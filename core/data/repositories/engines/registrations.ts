import type { Database } from '../../database.js';

/** An engine at which a softphone is registered. */
export interface SoftphonePlace {
  readonly engine_id: string;
  /** Whether the other engines can call it there now. */
  readonly dialable: boolean;
}

/** At which engines softphones are registered. Each engine's owner keeps what it sees there. */
export class Registrations {
  constructor(private readonly db: Database) {}

  /** These, and no others, are registered at the engine. */
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

  /** Where the softphone is registered, of the engines that are not removed, by their names. */
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
