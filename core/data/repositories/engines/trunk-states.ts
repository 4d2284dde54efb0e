import type { TrunkState } from '../../../model/trunks/state.js';
import type { Database } from '../../database.js';

/** What an engine finds when it probes a trunk. */
export interface TrunkStateRow {
  readonly trunk_id: string;
  readonly trunk: string;
  readonly engine: string;
  /** `unknown` also while no process can reach the engine. */
  readonly state: TrunkState;
  /** When the engine's owner first saw this state. */
  readonly since: Date;
}

/** The states of trunks per engine. The owner process of each engine maintains them. */
export class TrunkStates {
  constructor(private readonly db: Database) {}

  /** Replaces the engine's states by these. A state that stays the same keeps its time. */
  async replace(engineId: string, states: ReadonlyMap<string, TrunkState>, at: Date): Promise<void> {
    await this.db.query(
      `WITH gone AS (DELETE FROM trunk_states WHERE engine_id = $1 AND NOT (trunk_id = ANY ($2::uuid[])))
       INSERT INTO trunk_states (engine_id, trunk_id, state, since)
       SELECT $1, trunk_id, state, $4 FROM unnest($2::uuid[], $3::text[]) AS found (trunk_id, state)
       JOIN trunks ON trunks.id = trunk_id
       ON CONFLICT (engine_id, trunk_id) DO UPDATE SET state = excluded.state,
         since = CASE WHEN trunk_states.state = excluded.state THEN trunk_states.since ELSE excluded.since END`,
      [engineId, [...states.keys()], [...states.values()], at],
    );
  }

  /** By the names of trunks and engines. */
  list(): Promise<TrunkStateRow[]> {
    return this.db.query<TrunkStateRow>(
      `SELECT trunk_id, trunks.name AS trunk, engines.name AS engine, since,
         CASE WHEN owner IS NOT NULL AND lease_expires_at > clock_timestamp() AND status = 'up' THEN state
           ELSE 'unknown' END AS state
       FROM trunk_states JOIN trunks ON trunks.id = trunk_id AND trunks.probed AND trunks.enabled
       JOIN engines ON engines.id = engine_id AND removed_at IS NULL
       ORDER BY trunks.name, engines.name`,
    );
  }
}
