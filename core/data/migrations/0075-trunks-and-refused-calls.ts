import { sqlMigration } from './migration.js';

/** What engines find when they probe trunks, and the incoming calls that were refused. */
export const trunksAndRefusedCalls = sqlMigration(
  '0075-trunks-and-refused-calls',
  `
  ALTER TABLE trunks ADD COLUMN probed boolean NOT NULL DEFAULT true;

  CREATE TABLE trunk_states (
    engine_id uuid NOT NULL REFERENCES engines ON DELETE CASCADE,
    trunk_id uuid NOT NULL REFERENCES trunks ON DELETE CASCADE,
    state text NOT NULL CHECK (state IN ('up', 'down', 'unknown')),
    since timestamptz(3) NOT NULL,
    PRIMARY KEY (engine_id, trunk_id)
  );

  -- One row for all refused calls of an hour that have the columns of the unique constraint in common.
  CREATE TABLE refused_calls (
    id uuid PRIMARY KEY,
    engine_id uuid NOT NULL REFERENCES engines,
    hour timestamptz(3) NOT NULL,
    reason text NOT NULL,
    source text NOT NULL CHECK (source IN ('trunk', 'softphone', 'inside')),
    -- The id of the trunk or the AOR of the softphone; empty if there is none, or for many.
    source_id text NOT NULL,
    -- Empty for numbers that are only counted, because too many others were refused in the hour.
    dialled text NOT NULL,
    -- Of the last one.
    caller_masked text,
    q850 integer NOT NULL,
    calls integer NOT NULL CHECK (calls > 0),
    first_at timestamptz(3) NOT NULL,
    last_at timestamptz(3) NOT NULL,
    UNIQUE (engine_id, hour, reason, source, source_id, dialled)
  );
  CREATE INDEX refused_calls_last ON refused_calls (last_at);
  `,
  `
  DROP TABLE refused_calls;
  DROP TABLE trunk_states;
  ALTER TABLE trunks DROP COLUMN probed;
  `,
);
