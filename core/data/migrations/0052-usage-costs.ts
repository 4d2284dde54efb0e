import { sqlMigration } from './migration.js';

/**
 * Rolls up the rated cost of calls with their usage. A trigger writes the cost when a rating is
 * written, so that every process that rates, including the previous release, counts it in the same
 * transaction.
 */
export const usageCosts = sqlMigration(
  '0052-usage-costs',
  `
  -- The charges of a call are read whenever it is rated.
  CREATE INDEX charges_call ON charges (call_id);

  -- Merged into the rollups later. Not a column of usage_deltas: the previous release would merge
  -- those rows and lose their cost.
  CREATE TABLE usage_costs (
    project_id uuid NOT NULL,
    hour timestamptz(3) NOT NULL,
    status text NOT NULL,
    direction text NOT NULL,
    kind text NOT NULL,
    sandbox boolean NOT NULL,
    queue_id uuid,
    -- Millionths of a riyal.
    cost bigint NOT NULL
  );
  ALTER TABLE usage_rollups ADD COLUMN cost bigint NOT NULL DEFAULT 0;

  -- The cost of an unrated charge under the current plans, computed like core/model/rating/rate.ts.
  CREATE FUNCTION charge_cost(charge charges) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce((
      SELECT (2 * rate.per_minute * billed.seconds + 60) / 120
      FROM projects AS project
      LEFT JOIN billing_profiles AS profile ON profile.organization_id = project.organization_id
      CROSS JOIN LATERAL (
        SELECT version.id FROM rate_plan_versions AS version
        WHERE version.plan_id = coalesce(profile.plan_id, (SELECT plan.id FROM rate_plans AS plan WHERE plan.name = 'default'))
          AND version.valid_from <= charge.started_at
        ORDER BY version.valid_from DESC LIMIT 1
      ) AS version
      CROSS JOIN LATERAL (
        SELECT known.* FROM rates AS known
        WHERE known.version_id = version.id AND known.direction = charge.direction AND (known.kind IS NULL OR known.kind = charge.kind)
          AND known.prefix = ANY (ARRAY(
            SELECT left(regexp_replace(coalesce(charge.number, ''), '^\\+', ''), length) FROM generate_series(0, 15) AS length
          ))
        ORDER BY length(known.prefix) DESC, known.kind NULLS LAST LIMIT 1
      ) AS rate
      CROSS JOIN LATERAL (
        SELECT ceil(greatest(charge.seconds, rate.minimum_seconds)::numeric / rate.increment_seconds)::bigint * rate.increment_seconds AS seconds
      ) AS billed
      WHERE project.id = charge.project_id
    ), 0)
  $$;

  CREATE FUNCTION follow_ratings() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO usage_costs
    SELECT call.project_id, usage_start('hour', call.created_at), call.status, call.direction, call.kind, call.sandbox,
      CASE WHEN call.kind = 'callback' THEN call.queue_id END, sum(rating.amount)
    FROM new_ratings AS rating JOIN calls AS call ON call.id = rating.call_id
    WHERE rating.amount <> 0
    GROUP BY 1, 2, 3, 4, 5, 6, 7;
    RETURN NULL;
  END $$;

  -- A rated call may be written again: its cost moves to the slice that now counts it. The rating
  -- transaction locks the call.
  CREATE FUNCTION follow_costs() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO usage_costs
    SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
      CASE WHEN kind = 'callback' THEN queue_id END, sum(times * rating.amount)
    FROM (
      SELECT 1 AS times, id, project_id, created_at, status, direction, kind, sandbox, queue_id FROM new_calls
      UNION ALL
      SELECT -1, id, project_id, created_at, status, direction, kind, sandbox, queue_id FROM old_calls
    ) AS changed
    JOIN (SELECT call_id, amount FROM call_ratings) AS rating ON rating.call_id = changed.id
    WHERE status NOT IN ('initiated', 'ringing', 'answered')
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    HAVING sum(times * rating.amount) <> 0;
    RETURN NULL;
  END $$;

  -- From here to the end of the migration no call can be rated or written.
  CREATE TRIGGER call_ratings_usage AFTER INSERT ON call_ratings
    REFERENCING NEW TABLE AS new_ratings FOR EACH STATEMENT EXECUTE FUNCTION follow_ratings();
  CREATE TRIGGER calls_costs_changed AFTER UPDATE ON calls
    REFERENCING OLD TABLE AS old_calls NEW TABLE AS new_calls FOR EACH STATEMENT EXECUTE FUNCTION follow_costs();

  INSERT INTO usage_costs
  SELECT call.project_id, usage_start('hour', call.created_at), call.status, call.direction, call.kind, call.sandbox,
    CASE WHEN call.kind = 'callback' THEN call.queue_id END, sum(rating.amount)
  FROM call_ratings AS rating JOIN calls AS call ON call.id = rating.call_id
  WHERE rating.amount <> 0 AND call.status NOT IN ('initiated', 'ringing', 'answered')
  GROUP BY 1, 2, 3, 4, 5, 6, 7;
  `,
  `
  DROP TRIGGER call_ratings_usage ON call_ratings;
  DROP TRIGGER calls_costs_changed ON calls;
  DROP FUNCTION follow_ratings(), follow_costs(), charge_cost(charges);
  ALTER TABLE usage_rollups DROP COLUMN cost;
  DROP TABLE usage_costs;
  DROP INDEX charges_call;
  `,
);
