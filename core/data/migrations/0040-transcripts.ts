import { sqlMigration } from './migration.js';

/**
 * Transcripts of recordings. Triggers create the pending transcript together with the stored
 * recording or the message.
 */
export const transcripts = sqlMigration(
  '0040-transcripts',
  `
  ALTER TABLE recordings ADD COLUMN transcribe boolean;
  CREATE TABLE transcripts (
    recording_id uuid PRIMARY KEY REFERENCES recordings ON DELETE CASCADE,
    call_id uuid NOT NULL REFERENCES calls,
    organization_id uuid NOT NULL,
    project_id uuid NOT NULL REFERENCES projects,
    status text NOT NULL CHECK (status IN ('pending', 'completed', 'failed', 'disabled')),
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz(3),
    language text,
    confidence double precision CHECK (confidence BETWEEN 0 AND 1),
    engine text,
    turns jsonb,
    problem text,
    created_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    CHECK ((status = 'pending') = (due_at IS NOT NULL))
  );
  CREATE INDEX transcripts_due ON transcripts (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX transcripts_call ON transcripts (call_id, recording_id);
  CREATE FUNCTION note_transcript(recording uuid, call uuid, organization uuid, project uuid) RETURNS void LANGUAGE sql AS $$
    INSERT INTO transcripts (recording_id, call_id, organization_id, project_id, status, due_at, created_at)
    VALUES (recording, call, organization, project, 'pending', now(), now())
    ON CONFLICT DO NOTHING
  $$;
  CREATE FUNCTION note_transcript_of_row() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM note_transcript(NEW.id, NEW.call_id, NEW.organization_id, NEW.project_id);
    RETURN NULL;
  END $$;
  CREATE TRIGGER recordings_transcript AFTER INSERT OR UPDATE OF status ON recordings
    FOR EACH ROW WHEN (NEW.status = 'available' AND NEW.transcribe) EXECUTE FUNCTION note_transcript_of_row();
  CREATE TRIGGER voicemails_transcript AFTER INSERT ON voicemails
    FOR EACH ROW WHEN (NEW.transcription_status = 'pending') EXECUTE FUNCTION note_transcript_of_row();
  INSERT INTO transcripts (recording_id, call_id, organization_id, project_id, status, due_at, created_at)
  SELECT id, call_id, organization_id, project_id, 'pending', now(), now()
  FROM voicemails WHERE transcription_status = 'pending';
  `,
  `
  DROP TRIGGER voicemails_transcript ON voicemails;
  DROP TRIGGER recordings_transcript ON recordings;
  DROP FUNCTION note_transcript_of_row();
  DROP FUNCTION note_transcript(uuid, uuid, uuid, uuid);
  DROP TABLE transcripts;
  ALTER TABLE recordings DROP COLUMN transcribe;
  `,
);
