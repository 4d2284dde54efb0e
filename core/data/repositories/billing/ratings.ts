import { FINAL_CALL_STATUSES } from '../../../model/call/call.js';
import type { MicroSar } from '../../../model/money.js';
import type { Database, Queryable } from '../../database.js';
import type { CallRatingRow, ChargeRow, RatingCorrectionRow, SpendCapsRow } from '../../rows.js';

/** A charge with the plan that it is rated by. */
export interface ChargeToRate extends Pick<
  ChargeRow,
  'id' | 'call_id' | 'project_id' | 'direction' | 'kind' | 'number' | 'started_at' | 'seconds'
> {
  readonly organization_id: string;
  readonly plan_id: string | null;
  /** Its Riyadh day is the day on which the call is counted and billed. */
  readonly call_created_at: Date;
}

/** A project's spend on a Riyadh day, and in that day's month. */
export interface Spent {
  readonly project_id: string;
  readonly organization_id: string;
  readonly day: string;
  readonly of_day: MicroSar;
  readonly of_month: MicroSar;
}

const FINAL = FINAL_CALL_STATUSES.map((status) => `'${status}'`).join(', ');

const TAKE = `
  DELETE FROM unrated_calls WHERE call_id IN (
    SELECT unrated.call_id
    FROM unrated_calls AS unrated JOIN calls AS call ON call.id = unrated.call_id
    WHERE call.status IN (${FINAL})
      AND NOT EXISTS (SELECT FROM legs AS leg WHERE leg.call_id = call.id AND leg.status <> 'ended')
    LIMIT $1
    FOR UPDATE OF unrated SKIP LOCKED
    -- Locks the call until it is rated: its cost is counted in the call's slice.
    FOR SHARE OF call SKIP LOCKED
  )
  RETURNING call_id`;

/** The plan of the version by which a charge was rated. */
const RATED_BY = `(
    SELECT version.plan_id FROM jsonb_array_elements(rating.lines) AS line
    JOIN rate_plan_versions AS version ON version.id = (line ->> 'version_id')::uuid
    WHERE line ->> 'charge_id' = charge.id::text LIMIT 1
  )`;

/** @param rating the rating of the call, whose charges keep the plan that they were rated by; null for new calls */
const charges = (rating: string | null): string => `
  SELECT charge.id, charge.call_id, charge.project_id, charge.direction, charge.kind, charge.number, charge.started_at, charge.seconds,
    call.created_at AS call_created_at, project.organization_id,
    coalesce(${rating === null ? 'NULL' : RATED_BY}, profile.plan_id, (SELECT id FROM rate_plans WHERE name = 'default')) AS plan_id
  FROM charges AS charge
  JOIN calls AS call ON call.id = charge.call_id
  JOIN projects AS project ON project.id = charge.project_id
  LEFT JOIN billing_profiles AS profile ON profile.organization_id = project.organization_id
  ${rating === null ? '' : `JOIN ${rating} AS rating ON rating.call_id = charge.call_id`}`;

const IN_MONTH_OF = (day: string): string =>
  `spent.day >= date_trunc('month', ${day}) AND spent.day < date_trunc('month', ${day}) + interval '1 month'`;

/** Selects the day as text, not as a point in time. */
const RATING = `rating.call_id, rating.organization_id, rating.project_id, rating.day::text AS day, rating.amount, rating.lines, rating.rated_at`;

/** Ratings of finished calls, and the resulting spend of projects. */
export class Ratings {
  constructor(private readonly db: Database) {}

  /**
   * Takes finished calls without a rating; no other process takes them until the end of the
   * transaction.
   */
  async take(tx: Queryable, limit: number): Promise<ChargeToRate[]> {
    const taken = await tx.query<{ call_id: string }>(TAKE, [limit], { prepared: true });
    if (taken.length === 0) return [];
    return tx.query<ChargeToRate>(
      `${charges(null)} WHERE charge.call_id = ANY($1) AND NOT charge.sandbox ORDER BY charge.call_id, charge.id`,
      [taken.map(({ call_id }) => call_id)],
    );
  }

  /**
   * Charges of rated calls that were created on one of these Riyadh days, both included, with the plan that they were rated by.
   */
  ratedCharges(from: string, to: string, on: Queryable = this.db): Promise<ChargeToRate[]> {
    return on.query<ChargeToRate>(
      `${charges('call_ratings')} WHERE NOT charge.sandbox AND rating.day BETWEEN $1::date AND $2::date
       ORDER BY charge.call_id, charge.id`,
      [from, to],
    );
  }

  /** What rated calls cost now, with corrections. */
  between(from: string, to: string, on: Queryable = this.db): Promise<CallRatingRow[]> {
    return on.query<CallRatingRow>(
      `SELECT ${RATING} FROM rated_calls AS rating WHERE day BETWEEN $1::date AND $2::date ORDER BY call_id`,
      [from, to],
    );
  }

  async ofCall(callId: string): Promise<CallRatingRow | null> {
    const [row] = await this.db.query<CallRatingRow>(`SELECT ${RATING} FROM rated_calls AS rating WHERE call_id = $1`, [
      callId,
    ]);
    return row ?? null;
  }

  async write(tx: Queryable, rows: readonly CallRatingRow[]): Promise<void> {
    await tx.query(`INSERT INTO call_ratings SELECT * FROM jsonb_populate_recordset(NULL::call_ratings, $1)`, [
      JSON.stringify(rows),
    ]);
  }

  /** Prevents other corrections until the end of the transaction. */
  async lockCorrections(tx: Queryable): Promise<void> {
    await tx.query('LOCK TABLE rating_corrections IN SHARE ROW EXCLUSIVE MODE');
  }

  /** Adds corrections, each as the newest one of its call. @returns the number of each within its call */
  async correct(
    tx: Queryable,
    rows: readonly Omit<RatingCorrectionRow, 'sequence'>[],
  ): Promise<{ readonly call_id: string; readonly sequence: number }[]> {
    return tx.query(
      `INSERT INTO rating_corrections (id, call_id, sequence, organization_id, project_id, amount, difference, lines, booked_at)
       SELECT id, call_id, 1 + (SELECT coalesce(max(sequence), 0) FROM rating_corrections AS known WHERE known.call_id = row.call_id),
         organization_id, project_id, amount, difference, lines, booked_at
       FROM jsonb_populate_recordset(NULL::rating_corrections, $1) AS row
       RETURNING call_id, sequence`,
      [JSON.stringify(rows)],
    );
  }

  /** Adds to the spend of projects. @returns the new spend for each day that was added to */
  async spend(
    tx: Queryable,
    added: readonly { readonly project_id: string; readonly day: string; readonly amount: MicroSar }[],
  ): Promise<Spent[]> {
    const values = [JSON.stringify(added)];
    await tx.query(
      `INSERT INTO spent_days AS spent (project_id, day, amount)
       SELECT project_id, day, sum(amount)::bigint
       FROM jsonb_to_recordset($1::jsonb) AS added (project_id uuid, day date, amount bigint)
       GROUP BY 1, 2 ORDER BY 1, 2
       ON CONFLICT (project_id, day) DO UPDATE SET amount = spent.amount + excluded.amount`,
      values,
    );
    return tx.query<Spent>(
      `SELECT added.project_id, project.organization_id, added.day::text AS day,
         coalesce(sum(spent.amount) FILTER (WHERE spent.day = added.day), 0)::bigint AS of_day, coalesce(sum(spent.amount), 0)::bigint AS of_month
       FROM (SELECT DISTINCT project_id, day FROM jsonb_to_recordset($1::jsonb) AS added (project_id uuid, day date)) AS added
       JOIN projects AS project ON project.id = added.project_id
       JOIN spent_days AS spent ON spent.project_id = added.project_id AND ${IN_MONTH_OF('added.day')}
       GROUP BY 1, 2, added.day ORDER BY 1, 3`,
      values,
    );
  }

  /** The project's spend on the Riyadh day, and in its month. */
  async spent(projectId: string, day: string, on: Queryable = this.db): Promise<Pick<Spent, 'of_day' | 'of_month'>> {
    const [row] = await on.query<Pick<Spent, 'of_day' | 'of_month'>>(
      `SELECT coalesce(sum(amount) FILTER (WHERE day = $2::date), 0)::bigint AS of_day, coalesce(sum(amount), 0)::bigint AS of_month
       FROM spent_days AS spent WHERE project_id = $1 AND ${IN_MONTH_OF('$2::date')}`,
      [projectId, day],
      { prepared: true },
    );
    return row ?? { of_day: 0, of_month: 0 };
  }

  async caps(projectIds: readonly string[], on: Queryable = this.db): Promise<SpendCapsRow[]> {
    return on.query<SpendCapsRow>(`SELECT * FROM spend_caps WHERE project_id = ANY($1)`, [projectIds], {
      prepared: true,
    });
  }

  async setCaps({ project_id, day, month }: SpendCapsRow): Promise<void> {
    await this.db.query(
      `INSERT INTO spend_caps (project_id, day, month) VALUES ($1, $2, $3)
       ON CONFLICT (project_id) DO UPDATE SET day = excluded.day, month = excluded.month`,
      [project_id, day, month],
    );
  }

  /** Records that a threshold was reported. @returns false if it was recorded before */
  async recordThreshold(
    tx: Queryable,
    projectId: string,
    period: 'day' | 'month',
    starts: string,
    percent: number,
  ): Promise<boolean> {
    const rows = await tx.query(
      `INSERT INTO spend_thresholds (project_id, period, starts, percent) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING percent`,
      [projectId, period, starts, percent],
    );
    return rows.length > 0;
  }
}
