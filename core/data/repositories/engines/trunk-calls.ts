import type { Database } from '../../database.js';

/** What the outgoing calls through a trunk came to that ended within a time. */
export interface TrunkFigures {
  readonly trunk_id: string;
  readonly trunk: string;
  /** Null: any number of calls at once. */
  readonly capacity: number | null;
  /** Calls through the trunk now, in both directions. */
  readonly live_calls: number;
  readonly attempts: number;
  readonly answered: number;
  /** Those that the carrier did not carry: it answered 5xx or 408, or nothing. */
  readonly failed: number;
  /** Those that another trunk carried on after this one had failed. */
  readonly rerouted: number;
  /** Time between the answer and the end of those that were answered, together. */
  readonly talk_seconds: number;
  /** Mean time from dialling to the first sign of the other side; null if there was none. */
  readonly pdd_seconds: number | null;
  /** Mean estimated opinion score; null if none was measured. */
  readonly mos: number | null;
}

/** One attempt to reach a number through a trunk. */
export interface TrunkAttempt {
  readonly leg_id: string;
  readonly call_id: string;
  /** The leg in whose place this one was dialled; null for the first attempt. */
  readonly after: string | null;
  /** Null if the trunk was removed since. */
  readonly trunk: string | null;
  readonly role: string;
  readonly status: string;
  readonly created_at: Date;
  readonly ringing_at: Date | null;
  readonly answered_at: Date | null;
  readonly ended_at: Date | null;
  readonly hangup_q850: number | null;
  readonly hangup_sip_code: number | null;
  readonly hangup_text: string | null;
}

/** A leg that was dialled to a carrier; neither an incoming one nor one to a phone at another engine. */
const DIALLED = `endpoint->>'type' = 'trunk' AND jsonb_exists(endpoint, 'number') AND NOT jsonb_exists(endpoint, 'aor')`;
const CARRIER_FAILED = `leg.ringing_at IS NULL AND leg.answered_at IS NULL
  AND (leg.hangup_sip_code BETWEEN 500 AND 599 OR leg.hangup_sip_code = 408 OR leg.hangup_q850 = 27)`;

/** The room that trunks have for calls, and the outcome of the calls through them. */
export class TrunkCalls {
  constructor(private readonly db: Database) {}

  /**
   * Takes room for a leg that is about to be dialled; a repeat for the same leg moves it.
   * @returns false if the trunk carries as many calls as it may, in all processes together
   */
  async take(legId: string, trunkId: string, capacity: number): Promise<boolean> {
    const [row] = await this.db.query<{ is_free: boolean }>(
      `SELECT take_trunk_seat($1, $2, $3) AS is_free`,
      [legId, trunkId, capacity],
      { prepared: true },
    );
    return row?.is_free === true;
  }

  /** The figures of every trunk, by name. @param to not included */
  figures(from: Date, to: Date): Promise<TrunkFigures[]> {
    return this.db.query<TrunkFigures>(
      `SELECT trunk.id AS trunk_id, trunk.name AS trunk, trunk.capacity,
         (SELECT count(*) FROM legs AS leg WHERE leg.endpoint->>'type' = 'trunk'
           AND leg.endpoint->>'trunkId' = trunk.id::text AND leg.ended_at IS NULL) AS live_calls,
         ended.attempts, ended.answered, ended.failed, ended.rerouted, ended.talk_seconds, ended.pdd_seconds, ended.mos
       FROM trunks AS trunk
       CROSS JOIN LATERAL (
         SELECT count(*) AS attempts,
           count(leg.answered_at) AS answered,
           count(*) FILTER (WHERE ${CARRIER_FAILED}) AS failed,
           count(*) FILTER (WHERE ${CARRIER_FAILED} AND EXISTS (
             SELECT FROM legs AS next WHERE next.call_id = leg.call_id AND next.endpoint->>'after' = leg.id::text
           )) AS rerouted,
           coalesce(sum(extract(epoch FROM leg.ended_at - leg.answered_at)), 0)::float8 AS talk_seconds,
           avg(extract(epoch FROM coalesce(leg.ringing_at, leg.answered_at) - leg.created_at))::float8 AS pdd_seconds,
           avg((leg.quality->>'mos')::float8) AS mos
         FROM legs AS leg
         WHERE leg.endpoint->>'trunkId' = trunk.id::text AND leg.ended_at >= $1 AND leg.ended_at < $2 AND ${DIALLED}
       ) AS ended
       ORDER BY trunk.name`,
      [from, to],
    );
  }

  /** The attempts of a call to reach numbers through trunks, in their order. */
  attempts(callId: string): Promise<TrunkAttempt[]> {
    return this.db.query<TrunkAttempt>(
      `SELECT leg.id AS leg_id, leg.call_id, leg.endpoint->>'after' AS after, trunks.name AS trunk, leg.role, leg.status,
         leg.created_at, leg.ringing_at, leg.answered_at, leg.ended_at,
         leg.hangup_q850, leg.hangup_sip_code, leg.hangup_text
       FROM legs AS leg LEFT JOIN trunks ON trunks.id::text = leg.endpoint->>'trunkId'
       JOIN calls ON calls.id = leg.call_id AND NOT calls.sandbox AND calls.system IS NOT TRUE
       WHERE leg.call_id = $1 AND ${DIALLED}
       ORDER BY leg.created_at, leg.id`,
      [callId],
    );
  }
}
