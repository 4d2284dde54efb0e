import { sqlMigration } from './migration.js';

/** Indexes for an organization's callbacks by each filter, and sandbox trials. */
export const callbacks = sqlMigration(
  '0005-callbacks',
  `
  CREATE INDEX calls_callbacks_status ON calls (organization_id, status, created_at DESC, id DESC)
    WHERE kind = 'callback';
  CREATE INDEX calls_callbacks_queue ON calls (organization_id, queue_id, created_at DESC, id DESC)
    WHERE kind = 'callback' AND queue_id IS NOT NULL;
  CREATE INDEX calls_callbacks_sandbox ON calls (organization_id, created_at DESC, id DESC)
    WHERE kind = 'callback' AND sandbox;
  -- The minutes used by a trial are summed from this index.
  CREATE INDEX calls_sandbox_answered ON calls (project_id) INCLUDE (answered_at, ended_at)
    WHERE sandbox AND answered_at IS NOT NULL;

  -- A project's trial starts with the first request of one of its sandbox keys.
  CREATE TABLE sandbox_trials (
    project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    started_at timestamptz(3) NOT NULL
  );
  `,
  `
  DROP TABLE sandbox_trials;
  DROP INDEX calls_sandbox_answered, calls_callbacks_sandbox, calls_callbacks_queue, calls_callbacks_status;
  `,
);
