import { sqlMigration } from './migration.js';

/** Recordings of conferences. Before this, each recording was of a leg. */
export const conferenceRecordings = sqlMigration(
  '0014-conference-recordings',
  `
  ALTER TABLE recordings
    ADD COLUMN conference_id uuid REFERENCES conferences,
    ALTER COLUMN leg_id DROP NOT NULL,
    ALTER COLUMN leg DROP NOT NULL;
  CREATE INDEX recordings_conference ON recordings (conference_id, id) WHERE conference_id IS NOT NULL;
  `,
  `
  DELETE FROM recording_removals WHERE recording_id IN (SELECT id FROM recordings WHERE conference_id IS NOT NULL);
  DELETE FROM recordings WHERE conference_id IS NOT NULL;
  ALTER TABLE recordings
    DROP COLUMN conference_id,
    ALTER COLUMN leg_id SET NOT NULL,
    ALTER COLUMN leg SET NOT NULL;
  `,
);
