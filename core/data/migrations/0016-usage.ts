import { sqlMigration } from './migration.js';

/**
 * The source of usage figures: finished calls by hour and by day. Triggers record the effect of
 * every change of `calls`, so that every writer of calls, including the previous release, counts
 * them in the same transaction.
 */
export const usage = sqlMigration(
  '0016-usage',
  `
  -- Merged into the rollups later, so that two processes never wait for one rollup row.
  CREATE TABLE usage_deltas (
    project_id uuid NOT NULL,
    hour timestamptz(3) NOT NULL,
    status text NOT NULL,
    direction text NOT NULL,
    kind text NOT NULL,
    sandbox boolean NOT NULL,
    queue_id uuid,
    calls bigint NOT NULL,
    seconds bigint NOT NULL
  );

  CREATE TABLE usage_rollups (
    project_id uuid NOT NULL,
    grain text NOT NULL CHECK (grain IN ('hour', 'day')),
    starts_at timestamptz(3) NOT NULL,
    status text NOT NULL,
    direction text NOT NULL,
    kind text NOT NULL,
    sandbox boolean NOT NULL,
    -- Null stands for all calls, including those of queues.
    queue_id uuid,
    calls bigint NOT NULL,
    seconds bigint NOT NULL,
    CONSTRAINT usage_rollups_slice UNIQUE NULLS NOT DISTINCT
      (project_id, grain, queue_id, starts_at, status, direction, kind, sandbox)
  ) WITH (fillfactor = 80);

  -- Talk time in seconds of a finished call, as the API reports its duration; 0 for a live call.
  CREATE FUNCTION usage_seconds(status text, answered_at timestamptz, ended_at timestamptz) RETURNS bigint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN status = 'ended'
      THEN greatest(0, floor(extract(epoch FROM ended_at - answered_at) + 0.5))::bigint ELSE 0 END
  $$;

  -- Days are Riyadh days; Riyadh has no daylight saving time.
  CREATE FUNCTION usage_start(grain text, at timestamptz) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT date_bin(CASE grain WHEN 'day' THEN interval '24 hours' ELSE interval '1 hour' END, at, timestamptz '2000-01-01 00:00:00+03')
  $$;

  -- A call is rolled up among all calls and among those of its queue.
  CREATE FUNCTION usage_queues(queue_id uuid) RETURNS SETOF uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 1 AS $$
    SELECT unnest(CASE WHEN queue_id IS NULL THEN ARRAY[NULL::uuid] ELSE ARRAY[NULL, queue_id] END)
  $$;

  CREATE FUNCTION follow_usage() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO usage_deltas
      SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
        CASE WHEN kind = 'callback' THEN queue_id END, count(*), sum(usage_seconds(status, answered_at, ended_at))
      FROM new_calls
      WHERE status NOT IN ('initiated', 'ringing', 'answered')
      GROUP BY 1, 2, 3, 4, 5, 6, 7;
    ELSIF TG_OP = 'UPDATE' THEN
      -- A finished call may be written again: its previous values are subtracted.
      INSERT INTO usage_deltas
      SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
        CASE WHEN kind = 'callback' THEN queue_id END, sum(times), sum(times * usage_seconds(status, answered_at, ended_at))
      FROM (
        SELECT 1 AS times, project_id, created_at, status, direction, kind, sandbox, queue_id, answered_at, ended_at FROM new_calls
        UNION ALL
        SELECT -1, project_id, created_at, status, direction, kind, sandbox, queue_id, answered_at, ended_at FROM old_calls
      ) AS changed
      WHERE status NOT IN ('initiated', 'ringing', 'answered')
      GROUP BY 1, 2, 3, 4, 5, 6, 7
      HAVING sum(times) <> 0 OR sum(times * usage_seconds(status, answered_at, ended_at)) <> 0;
    ELSE
      INSERT INTO usage_deltas
      SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
        CASE WHEN kind = 'callback' THEN queue_id END, -count(*), -sum(usage_seconds(status, answered_at, ended_at))
      FROM old_calls
      WHERE status NOT IN ('initiated', 'ringing', 'answered')
      GROUP BY 1, 2, 3, 4, 5, 6, 7;
    END IF;
    RETURN NULL;
  END $$;

  -- From here to the end of the migration no call can be written.
  CREATE TRIGGER calls_usage_made AFTER INSERT ON calls
    REFERENCING NEW TABLE AS new_calls FOR EACH STATEMENT EXECUTE FUNCTION follow_usage();
  CREATE TRIGGER calls_usage_changed AFTER UPDATE ON calls
    REFERENCING OLD TABLE AS old_calls NEW TABLE AS new_calls FOR EACH STATEMENT EXECUTE FUNCTION follow_usage();
  CREATE TRIGGER calls_usage_gone AFTER DELETE ON calls
    REFERENCING OLD TABLE AS old_calls FOR EACH STATEMENT EXECUTE FUNCTION follow_usage();

  WITH hours AS (
    SELECT project_id, usage_start('hour', created_at) AS hour, status, direction, kind, sandbox,
      CASE WHEN kind = 'callback' THEN queue_id END AS queue_id, count(*) AS calls, sum(usage_seconds(status, answered_at, ended_at)) AS seconds
    FROM calls
    WHERE status NOT IN ('initiated', 'ringing', 'answered')
    GROUP BY 1, 2, 3, 4, 5, 6, 7
  )
  INSERT INTO usage_rollups
  SELECT project_id, grain, usage_start(grain, hour), status, direction, kind, sandbox, queue, sum(calls), sum(seconds)
  FROM hours CROSS JOIN unnest(ARRAY['hour', 'day']) AS grain CROSS JOIN usage_queues(queue_id) AS queue
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
  ORDER BY 1, 2, 8, 3;
  `,
  `
  DROP TRIGGER calls_usage_made ON calls;
  DROP TRIGGER calls_usage_changed ON calls;
  DROP TRIGGER calls_usage_gone ON calls;
  DROP FUNCTION follow_usage(), usage_queues(uuid), usage_seconds(text, timestamptz, timestamptz), usage_start(text, timestamptz);
  DROP TABLE usage_rollups, usage_deltas;
  `,
);
