import { sqlMigration } from './migration.js';

/**
 * Audio of deleted recordings that is still in storage: it is deleted as soon as the storage is
 * reachable.
 */
export const recordingRemovals = sqlMigration(
  '0009-recording-removals',
  `
  CREATE TABLE recording_removals (
    recording_id uuid PRIMARY KEY REFERENCES recordings,
    storage text NOT NULL,
    storage_key text NOT NULL,
    due_at timestamptz(3) NOT NULL
  );
  CREATE INDEX recording_removals_due ON recording_removals (due_at);
  `,
  `DROP TABLE recording_removals;`,
);
