import { FINAL_CALL_STATUSES, CALL_STATUSES, isFinal } from '../../../model/call/call.js';
import { isId } from '../../../model/ids.js';
import type { MicroSar } from '../../../model/money.js';
import type { Span, UsageGroup, UsageSlices } from '../../../model/usage.js';
import type { Queryable } from '../../database.js';
import type { CallScope } from '../calls/calls.js';

/** Sums over the calls of a period, or of one group. */
export interface UsageSums {
  /** Start of a day or hour, a status, or a queue's id; null for the whole period. */
  readonly key: Date | string | null;
  readonly total: number;
  readonly answered: number;
  readonly missed: number;
  readonly seconds: number;
  /**
   * The cost of finished calls: rated calls as they were rated, the others by the current plans.
   */
  readonly cost: MicroSar;
}

export interface UsageFilter {
  readonly slices: UsageSlices;
  /** Matches callbacks only, since only they have one; a malformed id matches nothing. */
  readonly queueId: string | undefined;
  readonly groupBy: UsageGroup | undefined;
}

const listed = (statuses: readonly string[]): string => statuses.map((status) => `'${status}'`).join(', ');
const OVER = listed(FINAL_CALL_STATUSES);
const LIVE = listed(CALL_STATUSES.filter((status) => !isFinal(status)));

const CALL = `status, direction, kind, sandbox, CASE WHEN kind = 'callback' THEN queue_id END AS queue_id`;
const ROLLED_UP = `status, direction, kind, sandbox, queue_id, calls, seconds, cost`;

function rollups(grain: 'hour' | 'day', from: number): string {
  return `
    SELECT starts_at AS at, ${ROLLED_UP} FROM usage_rollups
    WHERE project_id = $1 AND grain = '${grain}' AND starts_at >= $${from} AND starts_at < $${from + 1}`;
}

/** Rollup rows for all calls have no queue; rows with a queue count that queue's calls. */
const OF_ALL = 'queue_id IS NULL AND $19::uuid IS NULL';
const OF_ONE_QUEUE = 'queue_id = $19';
const OF_EACH = '$19::uuid IS NULL';

/** Finished calls read one by one; `sign` is the placeholder's number. */
function edge(from: number, sign: number): string {
  return `
    SELECT created_at, ${CALL}, $${sign}::bigint, $${sign} * usage_seconds(status, answered_at, ended_at), $${sign} * coalesce(amount, 0)
    FROM calls LEFT JOIN (SELECT call_id, amount FROM rated_calls) AS rating ON rating.call_id = calls.id
    WHERE project_id = $1 AND created_at >= $${from} AND created_at < $${from + 1} AND status IN (${OVER})`;
}

/**
 * One statement sees one snapshot of the database: a call is only in `calls` while it is live, and
 * in a delta or a rollup once it is over. Its cost is only in its charges until it is rated, then
 * in `usage_costs` or a rollup.
 */
function statement(key: string, queues: string): string {
  // Groups by queue leave out calls without a queue, so the whole period is a group of its own.
  const [isWhole, grouped] =
    queues === OF_EACH ? ['key IS NULL', 'key'] : ['grouping(key) = 1', 'GROUPING SETS ((key), ())'];
  return `
    WITH loose AS (
      SELECT hour AS at, status, direction, kind, sandbox, queue_id, calls, seconds, 0 AS cost
      FROM usage_deltas WHERE project_id = $1 AND hour >= $8 AND hour < $9
      UNION ALL
      SELECT hour, status, direction, kind, sandbox, queue_id, 0, 0, cost FROM usage_costs WHERE project_id = $1 AND hour >= $8 AND hour < $9
      UNION ALL ${edge(10, 12)} UNION ALL ${edge(13, 15)}
      UNION ALL
      SELECT created_at, ${CALL}, 1, 0, 0 FROM calls
      WHERE project_id = $1 AND status IN (${LIVE}) AND created_at >= $16 AND created_at < $17
      UNION ALL
      SELECT created_at, ${CALL}, 0, 0, cost
      FROM (
        SELECT call.*, charge_cost(charge) AS cost
        FROM unrated_calls AS unrated JOIN calls AS call ON call.id = unrated.call_id JOIN charges AS charge ON charge.call_id = call.id
        WHERE call.project_id = $1 AND call.status IN (${OVER}) AND call.created_at >= $16 AND call.created_at < $17 AND NOT charge.sandbox
      ) AS unrated
    ), slices AS (
      ${rollups('day', 2)} UNION ALL ${rollups('hour', 4)} UNION ALL ${rollups('hour', 6)}
      UNION ALL
      SELECT at, status, direction, kind, sandbox, queue, calls, seconds, cost FROM loose CROSS JOIN usage_queues(queue_id) AS queue
    ), matching AS (
      SELECT ${key} AS key, slices.* FROM slices WHERE (sandbox OR NOT $18) AND ${queues}
    )
    SELECT key, ${isWhole} AS whole,
      coalesce(sum(calls), 0)::bigint AS total,
      coalesce(sum(calls) FILTER (WHERE status IN ('answered', 'ended')), 0)::bigint AS answered,
      coalesce(sum(calls) FILTER (WHERE status = 'missed'), 0)::bigint AS missed,
      coalesce(sum(seconds), 0)::bigint AS seconds,
      coalesce(sum(cost) FILTER (WHERE NOT sandbox), 0)::bigint AS cost
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

interface SumsRow extends UsageSums {
  readonly whole: boolean;
}

const EMPTY: UsageSums = { key: null, total: 0, answered: 0, missed: 0, seconds: 0, cost: 0 };

const SLICE = `project_id, hour, status, direction, kind, sandbox, queue_id`;

/** Deletes and returns a batch of pending rows; concurrent processes skip the locked rows. */
const taken = (table: string, sums: string): string => `
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING ${SLICE}, ${sums}`;

/**
 * Merges one batch of deltas and one of costs into the rollups, each row once, even when several
 * processes do so.
 */
const FOLD = `
  WITH deltas AS (${taken('usage_deltas', 'calls, seconds, 0 AS cost')}
  ), costs AS (${taken('usage_costs', '0 AS calls, 0 AS seconds, cost')}
  ), folded AS (
    INSERT INTO usage_rollups AS known (project_id, grain, starts_at, status, direction, kind, sandbox, queue_id, calls, seconds, cost)
    SELECT project_id, grain, usage_start(grain, hour), status, direction, kind, sandbox, queue, sum(calls), sum(seconds), sum(cost)
    FROM (SELECT * FROM deltas UNION ALL SELECT * FROM costs) AS taken
    CROSS JOIN unnest(ARRAY['hour', 'day']) AS grain CROSS JOIN usage_queues(queue_id) AS queue
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    -- Concurrent merges take the rows in the same order.
    ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT ON CONSTRAINT usage_rollups_slice
    DO UPDATE SET calls = known.calls + excluded.calls, seconds = known.seconds + excluded.seconds, cost = known.cost + excluded.cost
  )
  SELECT greatest((SELECT count(*) FROM deltas), (SELECT count(*) FROM costs)) AS count`;

/** Call usage, read from the rollups that the database maintains. */
export class Usage {
  constructor(private readonly db: Queryable) {}

  /** Sums of a period and of its groups, ordered by key; a group has at least one call. */
  async sums(scope: CallScope, filter: UsageFilter): Promise<{ whole: UsageSums; groups: UsageSums[] }> {
    const { slices, queueId, groupBy } = filter;
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
        scope.sandboxOnly,
        queueId ?? null,
      ],
      { prepared: true },
    );
    const whole = rows.find((row) => row.whole) ?? EMPTY;
    return { whole, groups: rows.filter((row) => !row.whole && row.key !== null && row.total > 0) };
  }

  /**
   * Merges up to `limit` deltas and as many costs into the rollups; results do not change. @returns
   * the larger of the two row counts
   */
  async fold(limit: number): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(FOLD, [limit], { prepared: true });
    return row?.count ?? 0;
  }
}

function bounds({ from, before }: Span): (Date | string)[] {
  return [from ?? '-infinity', before ?? 'infinity'];
}
