import { sqlMigration } from './migration.js';

/**
 * Recordings of calls, each project's retention and announcement, and agents whose calls are always
 * recorded.
 */
export const recordings = sqlMigration(
  '0007-recordings',
  `
  CREATE TABLE recordings (
    id uuid PRIMARY KEY,
    call_id uuid NOT NULL REFERENCES calls,
    leg_id uuid NOT NULL,
    leg text NOT NULL CHECK (leg IN ('customer', 'agent', 'transfer')),
    organization_id uuid NOT NULL,
    project_id uuid NOT NULL REFERENCES projects,
    engine_id uuid NOT NULL REFERENCES engines,
    status text NOT NULL CHECK (status IN ('recording', 'paused', 'stopped', 'available', 'failed', 'deleted')),
    channels smallint NOT NULL CHECK (channels IN (1, 2)),
    max_seconds integer CHECK (max_seconds > 0),
    started_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    duration_ms integer CHECK (duration_ms >= 0),
    bytes bigint CHECK (bytes >= 0),
    storage text CHECK (storage IN ('local', 's3')),
    storage_key text,
    legal_hold boolean NOT NULL DEFAULT false,
    deleted_at timestamptz(3),
    CHECK (status <> 'available' OR (duration_ms IS NOT NULL AND bytes IS NOT NULL AND storage_key IS NOT NULL))
  );
  CREATE INDEX recordings_call ON recordings (call_id, id);
  CREATE INDEX recordings_waiting ON recordings (engine_id, id) WHERE status IN ('recording', 'paused', 'stopped');
  CREATE INDEX recordings_kept ON recordings (project_id, ended_at) WHERE status = 'available' AND NOT legal_hold;
  ALTER TABLE projects
    ADD COLUMN recording_retention_days integer CHECK (recording_retention_days > 0),
    ADD COLUMN recording_announcement text NOT NULL DEFAULT 'off'
      CHECK (recording_announcement IN ('off', 'ar', 'en', 'both'));
  ALTER TABLE agents ADD COLUMN record_calls boolean NOT NULL DEFAULT false;
  `,
  `
  ALTER TABLE agents DROP COLUMN record_calls;
  ALTER TABLE projects DROP COLUMN recording_announcement, DROP COLUMN recording_retention_days;
  DROP TABLE recordings;
  `,
);
