import type { Queryable } from '../../../core/data/database.js';
import type { ChargeRow } from '../../../core/data/rows.js';
import { CALL_STATUSES } from '../../../core/model/call/call.js';
import { costOf, type Rate, type RatedLeg } from '../../../core/model/rating/rate.js';
import type { UsageQuery } from '../../../core/services/usage/read.js';

/** A version of the plan that all projects of the test pay by. */
export interface PlanVersion {
  readonly validFrom: Date;
  readonly rates: readonly Rate[];
}

export interface Asker {
  readonly projectId: string;
  readonly sandboxKey: boolean;
  readonly sandboxAccount: boolean;
}

interface Figures {
  readonly key: string | null;
  readonly total_calls: number;
  readonly calls_answered: number;
  readonly calls_missed: number;
  readonly total_minutes: number;
  readonly estimated_cost_sar: number;
}

/** The start of a day or hour as the API writes it, by PostgreSQL functions that the product does not use. */
const KEYS = {
  day: `to_char(date_trunc('day', created_at AT TIME ZONE 'Asia/Riyadh'), 'YYYY-MM-DD"T"HH24:MI:SS"+03:00"')`,
  hour: `to_char(date_trunc('hour', created_at AT TIME ZONE 'Asia/Riyadh'), 'YYYY-MM-DD"T"HH24:MI:SS"+03:00"')`,
  status: 'status',
  queue: 'queue_id::text',
  none: 'NULL::text',
} as const;

/** The leg's rate, found by a linear search. */
export function plainRate(rates: readonly Rate[], leg: Omit<RatedLeg, 'seconds'>): Rate | undefined {
  const digits = leg.number?.replace('+', '') ?? '';
  return rates
    .filter(({ direction, kind, prefix }) => {
      return direction === leg.direction && (kind ?? leg.kind) === leg.kind && digits.startsWith(prefix);
    })
    .sort(
      (one, other) =>
        other.prefix.length - one.prefix.length || Number(one.kind === null) - Number(other.kind === null),
    )[0];
}

/** Millionths of a riyal by call: each charge by the version in force at its start, whether it was rated or not. */
async function costs(db: Queryable, plan: readonly PlanVersion[]): Promise<Record<string, number>> {
  const byCall: Record<string, number> = {};
  for (const charge of await db.query<ChargeRow>(`SELECT * FROM charges`)) {
    const version = plan.filter(({ validFrom }) => validFrom <= charge.started_at).at(-1);
    const rate = version && plainRate(version.rates, charge);
    if (rate) byCall[charge.call_id] = (byCall[charge.call_id] ?? 0) + costOf(rate, charge.seconds).amount;
  }
  return byCall;
}

/** The expected response of `GET /v1/usage`, by plain SQL over every call. @param plan its versions, oldest first */
export async function plainUsage(
  db: Queryable,
  asker: Asker,
  query: UsageQuery,
  plan: readonly PlanVersion[],
): Promise<object> {
  const { from, to, queueId, groupBy } = query;
  const byCall = JSON.stringify(await costs(db, plan));
  const figures = (key: string, where: string): Promise<Figures[]> =>
    db.query<Figures>(
      `SELECT ${key} AS key, count(*)::int AS total_calls,
         count(*) FILTER (WHERE status = 'answered' OR status = 'ended')::int AS calls_answered,
         count(*) FILTER (WHERE status = 'missed')::int AS calls_missed,
         coalesce(round(sum(seconds) / 60, 2), 0)::float8 AS total_minutes,
         coalesce(round(sum(CASE WHEN sandbox OR $6 THEN 0 ELSE cost END) / 1000000, 2), 0)::float8 AS estimated_cost_sar
       FROM (
         SELECT *,
           CASE WHEN status IN ('initiated', 'ringing', 'answered') THEN 0 ELSE coalesce(($7::jsonb ->> id::text)::numeric, 0) END AS cost,
           CASE WHEN status = 'ended' AND ended_at > answered_at
             THEN round(extract(epoch FROM ended_at) - extract(epoch FROM answered_at)) ELSE 0 END AS seconds
         FROM calls
       ) AS called
       WHERE project_id = $1 AND (NOT $2 OR sandbox)
         AND ($3::timestamptz IS NULL OR created_at >= $3) AND ($4::timestamptz IS NULL OR created_at <= $4)
         AND ($5::text IS NULL OR (kind = 'callback' AND queue_id::text = $5)) AND ${where}
       GROUP BY 1`,
      [asker.projectId, asker.sandboxKey, from ?? null, to ?? null, queueId ?? null, asker.sandboxAccount, byCall],
    );
  const [whole] = await figures(KEYS.none, 'true');
  const groups =
    groupBy &&
    (await figures(KEYS[groupBy], groupBy === 'queue' ? `kind = 'callback' AND queue_id IS NOT NULL` : 'true'));
  const none = { total_calls: 0, calls_answered: 0, calls_missed: 0, total_minutes: 0, estimated_cost_sar: 0 };
  const { key: _, ...sums } = whole ?? { key: null, ...none };
  return {
    data: { ...sums, currency: 'SAR' },
    period: (from ?? to) ? { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null } : null,
    ...(groups && { groups: groups.sort((one, other) => rank(one) - rank(other) || compare(one, other)) }),
  };
}

function rank({ key }: Figures): number {
  return CALL_STATUSES.findIndex((status) => status === key);
}

function compare({ key: one }: Figures, { key: other }: Figures): number {
  return String(one) < String(other) ? -1 : 1;
}
