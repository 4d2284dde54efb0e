import { sqlMigration } from './migration.js';

/**
 * Limits on what agents and projects dial outside, the legs that count towards them, and what they block.
 *
 * `guard_outside_leg` decides about one leg in one statement. It returns the block that is in force, or the limit that
 * the leg would exceed; no row means that the leg may be dialled, and then it counts from now on. The lock serializes
 * the legs of one project, and every statement of the function sees what was committed before it, so that processes
 * that dial at the same moment do not exceed a number of calls together.
 */
export const fraudGuard = sqlMigration(
  '0079-fraud-guard',
  `
  ALTER TABLE projects ADD COLUMN fraud_limits jsonb;
  ALTER TABLE agents ADD COLUMN fraud_limits jsonb;

  CREATE TABLE outside_legs (
    leg_id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects,
    agent text,
    -- A digest of what was called.
    number text NOT NULL,
    dialled_at timestamptz(3) NOT NULL,
    -- Copied from the leg once it has ended.
    answered_at timestamptz(3),
    ended_at timestamptz(3) NOT NULL DEFAULT 'infinity',
    -- The price of a minute when the leg was dialled; null if no limit of spending applied.
    per_minute bigint,
    increment_seconds integer,
    minimum_seconds integer
  );
  CREATE INDEX outside_legs_project ON outside_legs (project_id, dialled_at) INCLUDE (agent);
  CREATE INDEX outside_legs_agent ON outside_legs (project_id, agent, dialled_at) WHERE agent IS NOT NULL;
  CREATE INDEX outside_legs_number ON outside_legs (project_id, number, dialled_at);
  CREATE INDEX outside_legs_end ON outside_legs (project_id, ended_at);
  CREATE INDEX outside_legs_dialled ON outside_legs (dialled_at);

  CREATE TABLE fraud_blocks (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    -- Null: the whole project.
    agent text,
    rule text NOT NULL,
    -- Calls, seconds or millionths of a riyal.
    at_most bigint NOT NULL,
    number_masked text NOT NULL,
    blocked_at timestamptz(3) NOT NULL,
    released_at timestamptz(3),
    -- Null: by the operator.
    released_by_key uuid
  );
  CREATE UNIQUE INDEX fraud_blocks_in_force ON fraud_blocks (project_id, coalesce(agent, '')) WHERE released_at IS NULL;
  CREATE INDEX fraud_blocks_page ON fraud_blocks (project_id, id);
  CREATE INDEX fraud_blocks_released ON fraud_blocks (project_id, released_at) WHERE released_at IS NOT NULL;

  ALTER TABLE owner_mails DROP CONSTRAINT owner_mails_kind_check;
  ALTER TABLE owner_mails ADD CONSTRAINT owner_mails_kind_check CHECK (kind IN ('webhook_disabled', 'fraud_blocked'));

  CREATE FUNCTION guard_outside_leg(
    p_project uuid, p_agent text, p_leg uuid, p_number text, p_now timestamptz, p_checks jsonb,
    p_per_minute bigint, p_increment integer, p_minimum integer
  ) RETURNS TABLE (block_id uuid, scope text, rule text, at_most bigint) LANGUAGE plpgsql AS $$
  DECLARE
    v record;
    v_since timestamptz;
    v_used numeric;
  BEGIN
    IF p_leg IS NOT NULL THEN
      PERFORM pg_advisory_xact_lock(hashtextextended('outside legs ' || p_project, 0));
    END IF;
    RETURN QUERY
      SELECT block.id, CASE WHEN block.agent IS NULL THEN 'project' ELSE 'agent' END, block.rule, block.at_most
      FROM fraud_blocks AS block
      WHERE block.project_id = p_project AND block.released_at IS NULL AND (block.agent IS NULL OR block.agent = p_agent)
      ORDER BY block.agent NULLS FIRST LIMIT 1;
    IF FOUND THEN RETURN; END IF;

    IF p_leg IS NOT NULL THEN
      UPDATE outside_legs AS dialled SET answered_at = leg.answered_at, ended_at = leg.ended_at
      FROM legs AS leg
      WHERE dialled.project_id = p_project AND dialled.ended_at = 'infinity'
        AND leg.id = dialled.leg_id AND leg.ended_at IS NOT NULL;
    END IF;

    FOR v IN
      SELECT wanted.* FROM jsonb_to_recordset(p_checks) AS wanted (scope text, rule text, at_most bigint, since timestamptz)
    LOOP
      -- After a release, the counts begin again.
      SELECT greatest(v.since, max(block.released_at)) INTO v_since
      FROM fraud_blocks AS block
      WHERE block.project_id = p_project AND block.released_at > v.since
        AND block.agent IS NOT DISTINCT FROM CASE WHEN v.scope = 'agent' THEN p_agent END;
      IF v.rule IN ('calls_per_hour', 'night_calls_per_hour') THEN
        SELECT count(*) INTO v_used FROM (
          SELECT FROM outside_legs AS dialled
          WHERE dialled.project_id = p_project AND dialled.dialled_at > v_since
            AND (v.scope = 'project' OR dialled.agent = p_agent)
          LIMIT v.at_most
        ) AS counted;
      ELSIF v.rule = 'new_number_calls_per_hour' THEN
        SELECT count(*) INTO v_used FROM outside_legs AS dialled
        WHERE dialled.project_id = p_project AND dialled.number = p_number AND dialled.dialled_at > v_since
          AND (v.scope = 'project' OR dialled.agent = p_agent)
          AND NOT EXISTS (
            SELECT FROM outside_legs AS known
            WHERE known.project_id = p_project AND known.number = p_number AND known.dialled_at <= v.since
          );
      ELSE
        SELECT coalesce(sum(CASE
            WHEN v.rule = 'minutes_per_day' THEN talked.seconds
            WHEN talked.is_whole THEN
              round(talked.per_minute * ceil(greatest(talked.seconds, talked.minimum_seconds) / talked.increment_seconds)
                * talked.increment_seconds / 60)
            ELSE round(talked.per_minute * talked.seconds / 60)
          END), 0) INTO v_used
        FROM (
          SELECT dialled.per_minute, dialled.increment_seconds, dialled.minimum_seconds, ends.answered_at >= v_since AS is_whole,
            greatest(0, extract(epoch FROM least(ends.ended_at, p_now) - greatest(ends.answered_at, v_since))) AS seconds
          FROM outside_legs AS dialled
          LEFT JOIN legs AS leg ON dialled.ended_at = 'infinity' AND leg.id = dialled.leg_id
          CROSS JOIN LATERAL (
            SELECT coalesce(dialled.answered_at, leg.answered_at) AS answered_at,
              least(dialled.ended_at, coalesce(leg.ended_at, 'infinity')) AS ended_at
          ) AS ends
          WHERE dialled.project_id = p_project AND dialled.ended_at > v_since AND ends.ended_at > v_since
            AND (v.scope = 'project' OR dialled.agent = p_agent) AND ends.answered_at IS NOT NULL
        ) AS talked;
      END IF;
      IF v_used >= v.at_most THEN
        RETURN QUERY SELECT NULL::uuid, v.scope, v.rule, v.at_most;
        RETURN;
      END IF;
    END LOOP;

    IF p_leg IS NOT NULL THEN
      INSERT INTO outside_legs
        (leg_id, project_id, agent, number, dialled_at, per_minute, increment_seconds, minimum_seconds)
      VALUES (p_leg, p_project, p_agent, p_number, p_now, p_per_minute, p_increment, p_minimum)
      ON CONFLICT (leg_id) DO NOTHING;
    END IF;
  END $$;
  `,
  `
  DROP FUNCTION guard_outside_leg;
  DROP TABLE fraud_blocks;
  DROP TABLE outside_legs;
  DELETE FROM owner_mails WHERE kind = 'fraud_blocked';
  ALTER TABLE owner_mails DROP CONSTRAINT owner_mails_kind_check;
  ALTER TABLE owner_mails ADD CONSTRAINT owner_mails_kind_check CHECK (kind IN ('webhook_disabled'));
  ALTER TABLE agents DROP COLUMN fraud_limits;
  ALTER TABLE projects DROP COLUMN fraud_limits;
  `,
);
