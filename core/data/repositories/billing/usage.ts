import { FINAL_CALL_STATUSES, CALL_STATUSES, isFinal } from '../../../model/call/call.js';
import { isId } from '../../../model/ids.js';
import type { MicroSar } from '../../../model/money.js';
import type { Span, UsageGroup, UsageSlices } from '../../../model/usage.js';
import type { Queryable } from '../../database.js';
import type { CallScope } from '../calls/calls.js';

/** Sums over calls; those of a whole period, or of one group. */
export interface UsageSums {
  /** Start of a day or hour, a status, or a queue's id; null for the whole. */
  readonly key: Date | string | null;
  readonly total: number;
  readonly answered: number;
  readonly missed: number;
  readonly seconds: number;
  /** What the calls that are over cost: as they were rated, and by the plans as they are those that were not yet. */
  readonly cost: MicroSar;
}

export interface UsageFilter {
  readonly slices: UsageSlices;
  /** Only callbacks have one; a malformed one matches nothing. */
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

/** Rows that count for the whole have no queue; those of one count for it. */
const OF_ALL = 'queue_id IS NULL AND $19::uuid IS NULL';
const OF_ONE_QUEUE = 'queue_id = $19';
const OF_EACH = '$19::uuid IS NULL';

/** Finished calls one by one; `sign` is the placeholder's number. */
function edge(from: number, sign: number): string {
  return `
    SELECT created_at, ${CALL}, $${sign}::bigint, $${sign} * usage_seconds(status, answered_at, ended_at), $${sign} * coalesce(amount, 0)
    FROM calls LEFT JOIN (SELECT call_id, amount FROM call_ratings) AS rating ON rating.call_id = calls.id
    WHERE project_id = $1 AND created_at >= $${from} AND created_at < $${from + 1} AND status IN (${OVER})`;
}

/**
 * One statement sees one state of the database: a call is in `calls` alone while it lives, and in a delta or a rollup from the moment in
 * which it is over. What it costs is in its charges alone until it is rated, and in a rollup, or on its way there, from then on.
 */
function statement(key: string, queues: string): string {
  // The whole is a group of its own among those of queues: in none of them are the calls without one.
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

/** Takes a batch of what is to be added out of a table; nobody else takes the same. */
const taken = (table: string, sums: string): string => `
  DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING ${SLICE}, ${sums}`;

/** Adds a batch of deltas and one of costs to the rollups, each once, whoever else does it at the same time. */
const FOLD = `
  WITH deltas AS (${taken('usage_deltas', 'calls, seconds, 0 AS cost')}
  ), costs AS (${taken('usage_costs', '0 AS calls, 0 AS seconds, cost')}
  ), folded AS (
    INSERT INTO usage_rollups AS known (project_id, grain, starts_at, status, direction, kind, sandbox, queue_id, calls, seconds, cost)
    SELECT project_id, grain, usage_start(grain, hour), status, direction, kind, sandbox, queue, sum(calls), sum(seconds), sum(cost)
    FROM (SELECT * FROM deltas UNION ALL SELECT * FROM costs) AS taken
    CROSS JOIN unnest(ARRAY['hour', 'day']) AS grain CROSS JOIN usage_queues(queue_id) AS queue
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
    -- Whoever folds at the same time takes the rows in the same order.
    ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT ON CONSTRAINT usage_rollups_slice
    DO UPDATE SET calls = known.calls + excluded.calls, seconds = known.seconds + excluded.seconds, cost = known.cost + excluded.cost
  )
  SELECT greatest((SELECT count(*) FROM deltas), (SELECT count(*) FROM costs)) AS count`;

/** How much was called: the rollups that the database keeps of its calls. */
export class Usage {
  constructor(private readonly db: Queryable) {}

  /** Sums of a period and of its groups, in the order of their keys; a group has at least one call. */
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

  /** Add up to `limit` deltas, and as many costs, to the rollups; no answer changes by it. @returns how many of which there were more */
  async fold(limit: number): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(FOLD, [limit], { prepared: true });
    return row?.count ?? 0;
  }
}

function bounds({ from, before }: Span): (Date | string)[] {
  return [from ?? '-infinity', before ?? 'infinity'];
}
