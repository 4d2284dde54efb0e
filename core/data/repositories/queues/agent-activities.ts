import type { ActivityBatch } from '../../../model/queue/activity.js';
import type { Database, Queryable } from '../../database.js';

/** What an agent did in a period, of queue calls. Times in seconds. */
export interface AgentFigures {
  readonly offered: number;
  readonly answered: number;
  readonly missed: number;
  readonly withdrawn: number;
  readonly signed_in_seconds: number;
  readonly talk_seconds: number;
  readonly hold_seconds: number;
  readonly wrap_up_seconds: number;
  readonly paused_seconds: number;
  /** By reason, longest first. */
  readonly pauses: readonly { readonly reason: string | null; readonly count: number; readonly seconds: number }[];
}

/** An offer that expired is answered after all if the agent answers it before another one. */
const END = `
  UPDATE agent_activities AS activity
  SET ended_at = greatest(activity.started_at, least(activity.ended_at, to_timestamp("endedAt" / 1000.0))),
    outcome = coalesce(ending.outcome, activity.outcome)
  FROM jsonb_to_recordset($2::jsonb) AS ending(kind text, agent text, "callId" uuid, "endedAt" bigint, outcome text)
  WHERE activity.project_id = $1 AND activity.agent = ending.agent
    AND (ending.kind IS NULL OR activity.kind = ending.kind)
    AND (ending."callId" IS NULL OR activity.call_id = ending."callId")
    AND (activity.ended_at IS NULL OR activity.ended_at > to_timestamp("endedAt" / 1000.0) OR (
      ending.outcome = 'answered' AND activity.outcome = 'missed' AND activity.sequence = (
        SELECT max(latest.sequence) FROM agent_activities AS latest
        WHERE latest.project_id = $1 AND latest.agent = ending.agent AND latest.kind = 'offer')))`;

const BEGIN = `
  INSERT INTO agent_activities
    (project_id, sequence, agent, kind, queue_id, call_id, leg_id, reason, started_at, ended_at, outcome)
  SELECT $1, sequence, agent, kind, "queueId", "callId", "legId", reason, to_timestamp("startedAt" / 1000.0),
    CASE WHEN "endedAt" IS NOT NULL THEN to_timestamp(greatest("startedAt", "endedAt") / 1000.0) END, outcome
  FROM jsonb_to_recordset($2::jsonb) AS activity(sequence bigint, agent text, kind text, "queueId" uuid, "callId" uuid,
    "legId" uuid, reason text, "startedAt" bigint, "endedAt" bigint, outcome text)`;

/** Of a talk the agent's leg is the truth: the dispatcher may learn of its end later, for example after a restart. */
const FIGURES = `
  WITH activity AS (
    SELECT activity.kind, activity.call_id, activity.reason, activity.outcome, activity.started_at >= $3 AS is_begun,
      greatest(coalesce(leg.answered_at, activity.started_at), $3::timestamptz) AS began,
      least(coalesce(leg.ended_at, activity.ended_at), $4::timestamptz) AS ended
    FROM agent_activities AS activity
    LEFT JOIN legs AS leg ON leg.id = activity.leg_id AND activity.kind = 'talk'
    WHERE activity.project_id = $1 AND activity.agent = $2 AND ($5::timestamptz IS NULL OR activity.started_at < $5)
      AND (activity.ended_at >= $3 OR activity.ended_at IS NULL)
  ), spent AS (
    SELECT *, greatest(0, extract(epoch FROM ended - began))::float8 AS seconds FROM activity
  ), held AS (
    SELECT sum(extract(epoch FROM upper(part) - lower(part)))::float8 AS seconds
    FROM spent
    CROSS JOIN LATERAL (
      SELECT range_agg(tstzrange(since, CASE WHEN until IS NOT NULL THEN greatest(since, until) END)) AS ranges
      FROM legs
      CROSS JOIN LATERAL jsonb_array_elements(legs.holds) AS hold
      CROSS JOIN LATERAL (
        SELECT (hold->>'from')::timestamptz AS since, coalesce((hold->>'to')::timestamptz, legs.ended_at) AS until
      ) AS bounds
      WHERE legs.call_id = spent.call_id AND legs.role IN ('customer', 'agent')
    ) AS holds
    CROSS JOIN LATERAL unnest(holds.ranges * tstzmultirange(tstzrange(began, greatest(began, ended)))) AS part
    WHERE kind = 'talk' AND seconds > 0
  ), pause AS (
    SELECT reason, count(*)::int AS count, sum(seconds) AS seconds FROM spent
    WHERE kind = 'paused' AND ended >= began GROUP BY reason
  )
  SELECT
    count(*) FILTER (WHERE kind = 'offer' AND is_begun)::int AS offered,
    count(*) FILTER (WHERE kind = 'offer' AND is_begun AND outcome = 'answered')::int AS answered,
    count(*) FILTER (WHERE kind = 'offer' AND is_begun AND outcome = 'missed')::int AS missed,
    count(*) FILTER (WHERE kind = 'offer' AND is_begun AND outcome = 'withdrawn')::int AS withdrawn,
    coalesce(sum(seconds) FILTER (WHERE kind = 'signed_in'), 0) AS signed_in_seconds,
    coalesce(sum(seconds) FILTER (WHERE kind = 'talk'), 0) AS talk_seconds,
    coalesce((SELECT seconds FROM held), 0) AS hold_seconds,
    coalesce(sum(seconds) FILTER (WHERE kind = 'wrap_up'), 0) AS wrap_up_seconds,
    coalesce(sum(seconds) FILTER (WHERE kind = 'paused'), 0) AS paused_seconds,
    coalesce((SELECT json_agg(json_build_object('reason', reason, 'count', count, 'seconds', seconds)
      ORDER BY seconds DESC, reason) FROM pause), '[]') AS pauses
  FROM spent`;

/** Writes what agents began and ended; runs in the transaction that appends to the dispatcher's log. */
export async function writeActivities(tx: Queryable, projectId: string, batch: ActivityBatch): Promise<void> {
  const { began, ended } = batch;
  if (ended.length > 0) await tx.query(END, [projectId, JSON.stringify(ended)], { prepared: true });
  if (began.length > 0) await tx.query(BEGIN, [projectId, JSON.stringify(began)], { prepared: true });
}

/** What agents did, and when. */
export class AgentActivities {
  constructor(private readonly db: Database) {}

  /**
   * Offers count in the period in which they began.
   * @param from inclusive
   * @param to exclusive; null: open
   * @param until what has not ended lasts until then
   */
  async figures(
    projectId: string,
    agent: string,
    { from, to, until }: { readonly from: Date; readonly to: Date | null; readonly until: Date },
  ): Promise<AgentFigures> {
    const [row] = await this.db.query<AgentFigures>(FIGURES, [projectId, agent, from, until, to]);
    if (!row) throw new Error('an aggregate has a row');
    return row;
  }
}
