import { sqlMigration } from './migration.js';

/**
 * Defaults of the limits against toll fraud, prefixes that count as premium, blocks that end live calls; and for nuisance
 * callers: lists of agents, lists of callers who are never blocked, what a blocked caller gets, and how often an entry
 * refused calls.
 *
 * Mobile numbers become a class of their own: who may call national numbers may still call them.
 */
export const guards = sqlMigration(
  '0098-guards',
  `
  CREATE TABLE fraud_defaults (
    id uuid PRIMARY KEY,
    -- Null: of the whole installation.
    organization_id uuid REFERENCES organizations,
    limits jsonb NOT NULL,
    -- Whether a block ends live calls; null: as the installation says.
    ends_calls boolean
  );
  CREATE UNIQUE INDEX fraud_defaults_owner ON fraud_defaults (coalesce(organization_id::text, ''));

  CREATE TABLE high_risk_prefixes (prefix text PRIMARY KEY, note text, created_at timestamptz(3) NOT NULL);

  -- Null: no. The release before writes no value.
  ALTER TABLE fraud_blocks ADD COLUMN ends_calls boolean;
  ALTER TABLE fraud_blocks ADD COLUMN calls_ended_at timestamptz(3);
  CREATE INDEX fraud_blocks_ending ON fraud_blocks (blocked_at) WHERE ends_calls AND calls_ended_at IS NULL;

  -- Null: the list is that of the project, or of the installation.
  ALTER TABLE blocked_callers ADD COLUMN agent text;
  ALTER TABLE blocked_callers ADD COLUMN refused_calls bigint NOT NULL DEFAULT 0;
  ALTER TABLE blocked_callers ADD COLUMN last_refused_at timestamptz(3);
  -- The last time at which an event reported refused calls.
  ALTER TABLE blocked_callers ADD COLUMN reported_at timestamptz(3);
  DROP INDEX blocked_callers_entry;
  CREATE UNIQUE INDEX blocked_callers_entry ON blocked_callers (project_id, sandbox, number, kind, coalesce(agent, ''))
    WHERE project_id IS NOT NULL;

  CREATE TABLE allowed_callers (
    id uuid PRIMARY KEY,
    -- Null: every project of the installation, live calls only.
    project_id uuid REFERENCES projects,
    -- Null: the list is that of the project, or of the installation.
    agent text,
    sandbox boolean NOT NULL,
    kind text NOT NULL CHECK (kind IN ('exact', 'prefix', 'withheld')),
    -- E.164 or a prefix of it; empty for callers who show no number.
    number text NOT NULL CHECK ((number = '') = (kind = 'withheld')),
    note text,
    created_at timestamptz(3) NOT NULL,
    CHECK (project_id IS NOT NULL OR (NOT sandbox AND agent IS NULL))
  );
  CREATE UNIQUE INDEX allowed_callers_entry ON allowed_callers (project_id, sandbox, number, kind, coalesce(agent, ''))
    WHERE project_id IS NOT NULL;
  CREATE UNIQUE INDEX allowed_callers_installation ON allowed_callers (number, kind) WHERE project_id IS NULL;
  CREATE INDEX allowed_callers_page ON allowed_callers (project_id, sandbox, id);

  CREATE TABLE blocked_caller_answers (
    id uuid PRIMARY KEY,
    -- Null: of projects that say nothing else.
    project_id uuid REFERENCES projects,
    answer text NOT NULL CHECK (answer IN ('declined', 'unwanted', 'announcement'))
  );
  CREATE UNIQUE INDEX blocked_caller_answers_owner ON blocked_caller_answers (coalesce(project_id::text, ''));

  UPDATE projects SET destination_classes = array_append(destination_classes, 'mobile')
  WHERE 'national' = ANY (destination_classes) AND NOT 'mobile' = ANY (destination_classes);
  UPDATE agents SET destination_classes = array_append(destination_classes, 'mobile')
  WHERE 'national' = ANY (destination_classes) AND NOT 'mobile' = ANY (destination_classes);
  ALTER TABLE projects ALTER COLUMN destination_classes SET DEFAULT '{national,mobile}';
  ALTER TABLE agents ALTER COLUMN destination_classes SET DEFAULT '{national,mobile}';

  CREATE FUNCTION pg_temp.with_mobile(limits jsonb, path text[]) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE WHEN limits #> path @> '["national"]' AND NOT limits #> path @> '["mobile"]'
      THEN jsonb_set(limits, path, (limits #> path) || '["mobile"]') ELSE limits END;
  $$;
  UPDATE projects SET fraud_limits = pg_temp.with_mobile(
    pg_temp.with_mobile(fraud_limits, '{project,night,destination_classes}'), '{agents,night,destination_classes}'
  ) WHERE fraud_limits IS NOT NULL;
  UPDATE agents SET fraud_limits = pg_temp.with_mobile(fraud_limits, '{night,destination_classes}')
  WHERE fraud_limits IS NOT NULL;
  `,
  `
  UPDATE projects SET destination_classes = array_remove(destination_classes, 'mobile');
  UPDATE agents SET destination_classes = array_remove(destination_classes, 'mobile');
  ALTER TABLE projects ALTER COLUMN destination_classes SET DEFAULT '{national}';
  ALTER TABLE agents ALTER COLUMN destination_classes SET DEFAULT '{national}';
  DROP TABLE blocked_caller_answers;
  DROP TABLE allowed_callers;
  DELETE FROM blocked_callers WHERE agent IS NOT NULL;
  DROP INDEX blocked_callers_entry;
  CREATE UNIQUE INDEX blocked_callers_entry ON blocked_callers (project_id, sandbox, number, kind)
    WHERE project_id IS NOT NULL;
  ALTER TABLE blocked_callers DROP COLUMN reported_at, DROP COLUMN last_refused_at, DROP COLUMN refused_calls;
  ALTER TABLE blocked_callers DROP COLUMN agent;
  DROP INDEX fraud_blocks_ending;
  ALTER TABLE fraud_blocks DROP COLUMN calls_ended_at, DROP COLUMN ends_calls;
  DROP TABLE high_risk_prefixes;
  DROP TABLE fraud_defaults;
  `,
);
