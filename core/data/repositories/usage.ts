import { FINAL_CALL_STATUSES, CALL_STATUSES, isFinal, type CallDirection, type CallKind } from '../../model/call.js';
import { isId } from '../../model/ids.js';
import type { Span, UsageGroup, UsageSlices } from '../../model/usage.js';
import type { Queryable } from '../database.js';
import type { CallScope } from './calls.js';

/** Sums over calls; those of a whole period, or of one group. */
export interface UsageSums {
  /** Start of a day or hour, a status, or a queue's id; null for the whole. */
  readonly key: Date | string | null;
  readonly total: number;
  readonly answered: number;
  readonly missed: number;
  readonly seconds: number;
  /** Seconds times the price of a minute in millionths of a riyal, summed up. */
  readonly weighted: bigint;
}

export interface UsageFilter {
  readonly slices: UsageSlices;
  /** Only callbacks have one; a malformed one matches nothing. */
  readonly queueId: string | undefined;
  readonly groupBy: UsageGroup | undefined;
  /** What a minute costs, in millionths of a riyal; what is not in it costs nothing. */
  readonly prices: readonly {
    readonly direction: CallDirection;
    readonly kind: CallKind;
    readonly perMinute: number;
  }[];
}

const listed = (statuses: readonly string[]): string => statuses.map((status) => `'${status}'`).join(', ');
const OVER = listed(FINAL_CALL_STATUSES);
const LIVE = listed(CALL_STATUSES.filter((status) => !isFinal(status)));

const CALL = `status, direction, kind, sandbox, CASE WHEN kind = 'callback' THEN queue_id END AS queue_id`;
const ROLLED_UP = `status, direction, kind, sandbox, queue_id, calls, seconds`;

function rollups(grain: 'hour' | 'day', from: number): string {
  return `
    SELECT starts_at AS at, ${ROLLED_UP} FROM usage_rollups
    WHERE project_id = $1 AND grain = '${grain}' AND starts_at >= $${from} AND starts_at < $${from + 1}`;
}

/** Rows that count for the whole have no queue; those of one count for it. */
const OF_ALL = 'queue_id IS NULL AND $20::uuid IS NULL';
const OF_ONE_QUEUE = 'queue_id = $20';
const OF_EACH = '$20::uuid IS NULL';

/** Finished calls one by one; `sign` is the placeholder's number. */
function edge(from: number, sign: number): string {
  return `
    SELECT created_at, ${CALL}, $${sign}::bigint, $${sign} * usage_seconds(status, answered_at, ended_at) FROM calls
    WHERE project_id = $1 AND created_at >= $${from} AND created_at < $${from + 1} AND status IN (${OVER})`;
}

/**
 * One statement sees one state of the database: a call is in `calls` alone while it lives, and in a delta or a rollup from the moment in
 * which it is over.
 */
function statement(key: string, queues: string): string {
  // The whole is a group of its own among those of queues: in none of them are the calls without one.
  const [isWhole, grouped] =
    queues === OF_EACH ? ['key IS NULL', 'key'] : ['grouping(key) = 1', 'GROUPING SETS ((key), ())'];
  return `
    WITH loose AS (
      SELECT hour AS at, ${ROLLED_UP} FROM usage_deltas WHERE project_id = $1 AND hour >= $8 AND hour < $9
      UNION ALL ${edge(10, 12)} UNION ALL ${edge(13, 15)}
      UNION ALL
      SELECT created_at, ${CALL}, 1, 0 FROM calls
      WHERE project_id = $1 AND status IN (${LIVE}) AND created_at >= $16 AND created_at < $17
    ), slices AS (
      ${rollups('day', 2)} UNION ALL ${rollups('hour', 4)} UNION ALL ${rollups('hour', 6)}
      UNION ALL
      SELECT at, status, direction, kind, sandbox, queue, calls, seconds FROM loose CROSS JOIN usage_queues(queue_id) AS queue
    ), matching AS (
      SELECT ${key} AS key, slices.*, coalesce(price.per_minute, 0) AS per_minute
      FROM slices
      LEFT JOIN jsonb_to_recordset($18::jsonb) AS price(direction text, kind text, per_minute bigint) USING (direction, kind)
      WHERE (sandbox OR NOT $19) AND ${queues}
    )
    SELECT key, ${isWhole} AS whole,
      coalesce(sum(calls), 0)::bigint AS total,
      coalesce(sum(calls) FILTER (WHERE status IN ('answered', 'ended')), 0)::bigint AS answered,
      coalesce(sum(calls) FILTER (WHERE status = 'missed'), 0)::bigint AS missed,
      coalesce(sum(seconds), 0)::bigint AS seconds,
      coalesce(sum(seconds * per_minute) FILTER (WHERE NOT sandbox), 0)::text AS weighted
    FROM matching
    GROUP BY ${grouped}
    ORDER BY key`;
}

type Statements = Readonly<Record<UsageGroup | 'none', string>>;

const statements = (queues: string): Statements => ({
  none: statement('NULL::text', queues),
  day: statement(`usage_start('day', at)`, queues),
  hour: statement(`usage_start('hour', at)`, queues),
  status: statement('status', queues),
  queue: statement('queue_id', queues),
});

const STATEMENTS = {
  all: { ...statements(OF_ALL), queue: statement('queue_id', OF_EACH) },
  oneQueue: statements(OF_ONE_QUEUE),
} as const;

interface SumsRow extends Omit<UsageSums, 'weighted'> {
  readonly whole: boolean;
  readonly weighted: string;
}

const EMPTY: UsageSums = { key: null, total: 0, answered: 0, missed: 0, seconds: 0, weighted: 0n };

/** Adds a batch of deltas to the rollups, each delta once, whoever else does it at the same time. */
const FOLD = `
  WITH taken AS (
    DELETE FROM usage_deltas
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM usage_deltas LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING *
  ), folded AS (
    INSERT INTO usage_rollups AS known
    SELECT project_id, grain, usage_start(grain, hour), status, direction, kind, sandbox, queue, sum(calls), sum(seconds)
    FROM taken CROSS JOIN unnest(ARRAY['hour', 'day']) AS grain CROSS JOIN usage_queues(queue_id) AS queue
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    -- Whoever folds at the same time takes the rows in the same order.
    ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT ON CONSTRAINT usage_rollups_slice
    DO UPDATE SET calls = known.calls + excluded.calls, seconds = known.seconds + excluded.seconds
  )
  SELECT count(*) AS count FROM taken`;

/** How much was called: the rollups that the database keeps of its calls. */
export class Usage {
  constructor(private readonly db: Queryable) {}

  /** Sums of a period and of its groups, in the order of their keys; a group has at least one call. */
  async sums(scope: CallScope, filter: UsageFilter): Promise<{ whole: UsageSums; groups: UsageSums[] }> {
    const { slices, queueId, groupBy, prices } = filter;
    if (queueId !== undefined && !isId(queueId)) return { whole: EMPTY, groups: [] };
    const [firstEdge, lastEdge] = slices.edges;
    const rows = await this.db.query<SumsRow>(
      STATEMENTS[queueId === undefined ? 'all' : 'oneQueue'][groupBy ?? 'none'],
      [
        scope.projectId,
        ...bounds(slices.days),
        ...slices.hours.flatMap(bounds),
        ...bounds(slices.rolledUp),
        ...[...bounds(firstEdge), firstEdge.sign],
        ...[...bounds(lastEdge), lastEdge.sign],
        ...bounds(slices.whole),
        JSON.stringify(prices.map(({ direction, kind, perMinute }) => ({ direction, kind, per_minute: perMinute }))),
        scope.sandboxOnly,
        queueId ?? null,
      ],
      { prepared: true },
    );
    const sums = rows.map(({ weighted, ...row }) => ({ ...row, weighted: BigInt(weighted) }));
    const whole = sums.find((row) => row.whole) ?? EMPTY;
    return { whole, groups: sums.filter((row) => !row.whole && row.key !== null && row.total > 0) };
  }

  /** Add up to `limit` deltas to the rollups; no answer changes by it. @returns how many they were */
  async fold(limit: number): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(FOLD, [limit], { prepared: true });
    return row?.count ?? 0;
  }
}

function bounds({ from, before }: Span): (Date | string)[] {
  return [from ?? '-infinity', before ?? 'infinity'];
}
