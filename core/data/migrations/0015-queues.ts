import { sqlMigration } from './migration.js';

/** Queues, the dispatcher's state and event log, and every wait in a queue. */
export const queues = sqlMigration(
  '0015-queues',
  `
  CREATE TABLE queues (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    name text NOT NULL,
    dial_code text CHECK (dial_code ~ '^[0-9]+$'),
    strategy text NOT NULL CHECK (strategy IN
      ('longest_idle', 'round_robin', 'ring_all', 'fewest_calls', 'least_talk_time', 'random', 'priority')),
    wrap_up_seconds integer NOT NULL,
    ring_timeout_seconds integer NOT NULL,
    max_wait_seconds integer NOT NULL,
    max_length integer NOT NULL,
    service_level_seconds integer NOT NULL,
    unavailable_seconds integer NOT NULL,
    announce_position boolean NOT NULL,
    announce_every_seconds integer NOT NULL,
    music uuid,
    music_path text,
    overflow jsonb NOT NULL,
    callback_mode text NOT NULL CHECK (callback_mode IN ('agent_first', 'customer_first')),
    record boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    removed_at timestamptz(3)
  );
  CREATE UNIQUE INDEX queues_name ON queues (project_id, name) WHERE removed_at IS NULL;
  CREATE UNIQUE INDEX queues_dial_code ON queues (project_id, dial_code) WHERE removed_at IS NULL;

  ALTER TABLE agents ADD COLUMN priority integer NOT NULL DEFAULT 5 CHECK (priority BETWEEN 1 AND 9);

  -- One row per project: a writer to the project's log locks it. state is the state after
  -- state_sequence log entries.
  CREATE TABLE queue_dispatchers (
    project_id uuid PRIMARY KEY REFERENCES projects,
    sequence bigint NOT NULL,
    state_sequence bigint NOT NULL,
    state jsonb NOT NULL,
    due_at timestamptz(3)
  ) WITH (fillfactor = 50);

  CREATE TABLE queue_log (
    project_id uuid NOT NULL REFERENCES queue_dispatchers,
    sequence bigint NOT NULL,
    event jsonb NOT NULL,
    decisions jsonb NOT NULL,
    PRIMARY KEY (project_id, sequence)
  );

  CREATE TABLE queue_visits (
    project_id uuid NOT NULL REFERENCES projects,
    visit bigint NOT NULL,
    queue_id uuid NOT NULL REFERENCES queues,
    call_id uuid NOT NULL,
    entered_at timestamptz(3) NOT NULL,
    left_at timestamptz(3),
    outcome text CHECK (outcome IN ('answered', 'abandoned', 'max_wait', 'full', 'queue_removed')),
    agent text,
    wait_ms bigint,
    talk_ms bigint,
    refusals integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, visit)
  );
  CREATE INDEX queue_visits_queue ON queue_visits (queue_id, entered_at);
  `,
  `
  DROP TABLE queue_visits, queue_log, queue_dispatchers, queues;
  ALTER TABLE agents DROP COLUMN priority;
  `,
);
