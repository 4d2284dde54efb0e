import { sqlMigration } from './migration.js';

const ENDED = `status NOT IN ('initiated', 'ringing', 'answered')`;

/** Leaves the trigger if none of the calls has ended: nearly every change of a call is one of a live call. */
const unlessEnded = (...tables: readonly string[]): string => {
  const ended = tables.map((table) => `SELECT 1 FROM ${table} WHERE ${ENDED}`).join(' UNION ALL ');
  return `IF NOT EXISTS (${ended}) THEN RETURN NULL; END IF;`;
};

type Guard = (...tables: readonly string[]) => string;
const unguarded: Guard = () => '';

/** As 0016. */
const followUsage = (guard: Guard): string => `
  CREATE OR REPLACE FUNCTION follow_usage() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      ${guard('new_calls')}
      INSERT INTO usage_deltas
      SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
        CASE WHEN kind = 'callback' THEN queue_id END, count(*), sum(usage_seconds(status, answered_at, ended_at))
      FROM new_calls
      WHERE ${ENDED}
      GROUP BY 1, 2, 3, 4, 5, 6, 7;
    ELSIF TG_OP = 'UPDATE' THEN
      ${guard('new_calls', 'old_calls')}
      -- A finished call may be written again: its previous values are subtracted.
      INSERT INTO usage_deltas
      SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
        CASE WHEN kind = 'callback' THEN queue_id END, sum(times), sum(times * usage_seconds(status, answered_at, ended_at))
      FROM (
        SELECT 1 AS times, project_id, created_at, status, direction, kind, sandbox, queue_id, answered_at, ended_at FROM new_calls
        UNION ALL
        SELECT -1, project_id, created_at, status, direction, kind, sandbox, queue_id, answered_at, ended_at FROM old_calls
      ) AS changed
      WHERE ${ENDED}
      GROUP BY 1, 2, 3, 4, 5, 6, 7
      HAVING sum(times) <> 0 OR sum(times * usage_seconds(status, answered_at, ended_at)) <> 0;
    ELSE
      INSERT INTO usage_deltas
      SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
        CASE WHEN kind = 'callback' THEN queue_id END, -count(*), -sum(usage_seconds(status, answered_at, ended_at))
      FROM old_calls
      WHERE ${ENDED}
      GROUP BY 1, 2, 3, 4, 5, 6, 7;
    END IF;
    RETURN NULL;
  END $$;`;

/** As 0073. */
const followCosts = (guard: Guard): string => `
  CREATE OR REPLACE FUNCTION follow_costs() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    ${guard('new_calls', 'old_calls')}
    INSERT INTO usage_costs
    SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
      CASE WHEN kind = 'callback' THEN queue_id END, sum(times * rating.amount)
    FROM (
      SELECT 1 AS times, id, project_id, created_at, status, direction, kind, sandbox, queue_id FROM new_calls
      UNION ALL
      SELECT -1, id, project_id, created_at, status, direction, kind, sandbox, queue_id FROM old_calls
    ) AS changed
    JOIN (SELECT call_id, amount FROM rated_calls) AS rating ON rating.call_id = changed.id
    WHERE ${ENDED}
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    HAVING sum(times * rating.amount) <> 0;
    RETURN NULL;
  END $$;`;

/**
 * The triggers that count usage and costs look at a statement's calls only if one of them has ended. They ran two
 * aggregations for each write of live calls, which found nothing.
 */
export const usageOfEndedCalls = sqlMigration(
  '0176-usage-of-ended-calls',
  `${followUsage(unlessEnded)}${followCosts(unlessEnded)}`,
  `${followUsage(unguarded)}${followCosts(unguarded)}`,
);
