import { sqlMigration } from './migration.js';

/**
 * Voicemail boxes of numbers, their messages, and message recordings, which are held until the
 * caller sends them or hangs up.
 */
export const voicemail = sqlMigration(
  '0023-voicemail',
  `
  CREATE TABLE voicemail_boxes (
    number_id uuid PRIMARY KEY REFERENCES numbers,
    organization_id uuid NOT NULL,
    project_id uuid NOT NULL REFERENCES projects,
    enabled boolean NOT NULL,
    greeting jsonb,
    max_seconds integer NOT NULL CHECK (max_seconds BETWEEN 5 AND 300),
    transcribe boolean NOT NULL,
    notify_email text,
    pin_hash text,
    pin_failures integer NOT NULL DEFAULT 0,
    pin_locked_until timestamptz(3),
    changed_at timestamptz(3) NOT NULL
  );
  ALTER TABLE recordings
    ADD COLUMN box_id uuid REFERENCES voicemail_boxes,
    DROP CONSTRAINT recordings_status_check,
    ADD CONSTRAINT recordings_status_check
      CHECK (status IN ('recording', 'paused', 'held', 'stopped', 'available', 'failed', 'deleted'));
  CREATE TABLE voicemails (
    id uuid PRIMARY KEY REFERENCES recordings,
    organization_id uuid NOT NULL,
    project_id uuid NOT NULL REFERENCES projects,
    box_id uuid NOT NULL REFERENCES voicemail_boxes,
    call_id uuid NOT NULL REFERENCES calls,
    sandbox boolean NOT NULL,
    number text NOT NULL,
    from_number text NOT NULL,
    duration_ms integer NOT NULL CHECK (duration_ms >= 0),
    transcription_status text NOT NULL
      CHECK (transcription_status IN ('pending', 'completed', 'failed', 'disabled')),
    transcription_text text,
    listened_at timestamptz(3),
    mail_to text,
    mail_due_at timestamptz(3),
    mail_attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL
  );
  CREATE INDEX voicemails_project ON voicemails (project_id, id);
  CREATE INDEX voicemails_box ON voicemails (box_id, id);
  CREATE INDEX voicemails_mail ON voicemails (mail_due_at) WHERE mail_due_at IS NOT NULL;
  `,
  `
  DROP TABLE voicemails;
  DELETE FROM recording_removals WHERE recording_id IN (SELECT id FROM recordings WHERE box_id IS NOT NULL);
  DELETE FROM recordings WHERE box_id IS NOT NULL;
  ALTER TABLE recordings
    DROP COLUMN box_id,
    DROP CONSTRAINT recordings_status_check,
    ADD CONSTRAINT recordings_status_check
      CHECK (status IN ('recording', 'paused', 'stopped', 'available', 'failed', 'deleted'));
  DROP TABLE voicemail_boxes;
  `,
);
