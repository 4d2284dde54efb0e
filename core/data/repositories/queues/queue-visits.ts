import type { VisitOutcome } from '../../../model/queue/types.js';
import type { Database } from '../../database.js';

/**
 * Statistics of a queue for callers who entered in a period. Times in milliseconds; null if there
 * was nothing to measure.
 */
export interface VisitStats {
  readonly offered: number;
  readonly answered: number;
  readonly abandoned: number;
  readonly overflowed: number;
  /** Answered within the service level. */
  readonly in_time: number;
  readonly average_wait_ms: number | null;
  readonly average_talk_ms: number | null;
}

export interface LiveLeg {
  readonly id: string;
  readonly aor: string;
}

/** The softphones with the names `$1`, and the browsers of their agents: their names in SIP, and whether calls ring them. */
const PHONES = `
  SELECT aor, aor AS place, true AS rings FROM unnest($1::text[]) AS given (aor)
  UNION ALL
  SELECT agents.aor, session.aor, (session.rights->>'incoming')::boolean AND session.ended_at IS NULL
    AND session.expires_at > clock_timestamp()
  FROM agents JOIN web_calling_sessions AS session
    ON session.project_id = agents.project_id AND session.agent = agents.agent AND NOT session.sandbox
  WHERE agents.aor = ANY ($1::text[]) AND session.connected_at IS NOT NULL AND session.calls_ended_at IS NULL`;

/** Waits in queues, and the current state of callers and softphones. */
export class QueueVisits {
  constructor(private readonly db: Database) {}

  /** @param period of entry, both ends included; null means open. */
  async stats(
    queueId: string,
    serviceLevelSeconds: number,
    period: { readonly from: Date | null; readonly to: Date | null },
  ): Promise<VisitStats> {
    const [row] = await this.db.query<VisitStats>(
      `SELECT count(*)::int AS offered,
         count(*) FILTER (WHERE outcome = 'answered')::int AS answered,
         count(*) FILTER (WHERE outcome = 'abandoned')::int AS abandoned,
         count(*) FILTER (WHERE outcome IN ('max_wait', 'full', 'queue_removed'))::int AS overflowed,
         count(*) FILTER (WHERE outcome = 'answered' AND wait_ms <= $2::bigint * 1000)::int AS in_time,
         (avg(wait_ms) FILTER (WHERE outcome = 'answered'))::float8 AS average_wait_ms,
         avg(talk_ms)::float8 AS average_talk_ms
       FROM queue_visits
       WHERE queue_id = $1 AND ($3::timestamptz IS NULL OR entered_at >= $3) AND ($4::timestamptz IS NULL OR entered_at <= $4)`,
      [queueId, serviceLevelSeconds, period.from, period.to],
    );
    if (!row) throw new Error('an aggregate has a row');
    return row;
  }

  /**
   * The outcome of the caller's wait in the queue that started at `since` or later: undefined if
   * there is none, null while the caller waits.
   */
  async outcome(callId: string, queueId: string, since: Date): Promise<VisitOutcome | null | undefined> {
    const [row] = await this.db.query<{ outcome: VisitOutcome | null }>(
      `SELECT outcome FROM queue_visits WHERE call_id = $1 AND queue_id = $2 AND entered_at >= $3 ORDER BY visit DESC LIMIT 1`,
      [callId, queueId, since],
    );
    return row?.outcome;
  }

  /** The live legs of these softphones. */
  liveLegs(aors: readonly string[]): Promise<LiveLeg[]> {
    return this.db.query<LiveLeg>(
      `SELECT legs.id, phone.aor FROM (${PHONES}) AS phone
       JOIN legs ON legs.status <> 'ended' AND legs.endpoint->>'aor' = phone.place`,
      [aors],
    );
  }

  /** Those of these agents, by the name of their softphone, that a call rings: by the softphone, or in a browser. */
  async registered(aors: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.db.query<{ aor: string }>(
      `SELECT DISTINCT phone.aor FROM (${PHONES}) AS phone
       JOIN softphone_registrations AS registration ON registration.aor = phone.place
       JOIN engines ON engines.id = registration.engine_id
       WHERE phone.rings AND engines.removed_at IS NULL`,
      [aors],
    );
    return new Set(rows.map(({ aor }) => aor));
  }

  /** Those of these legs that have ended. */
  async endedLegs(legIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM legs WHERE id = ANY ($1::uuid[]) AND status = 'ended'`,
      [legIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Those of these calls that are over. */
  async endedCalls(callIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM calls WHERE id = ANY ($1::uuid[]) AND status NOT IN ('initiated', 'ringing', 'answered')`,
      [callIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The customer numbers of these calls, by call. */
  async customers(callIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.db.query<{ id: string; customer_number: string }>(
      `SELECT id, customer_number FROM calls WHERE id = ANY ($1::uuid[])`,
      [callIds],
    );
    return new Map(rows.map(({ id, customer_number }) => [id, customer_number]));
  }
}
