import { sqlMigration } from './migration.js';

/**
 * Numbers, claims to own numbers, porting requests and audio files of live and of sandbox keys. All
 * that exist are live, except audio files of sandbox accounts, and those that only sandbox flows
 * play.
 *
 * A sandbox number exists in its project only: the same number can be live, and in other sandboxes.
 * During the upgrade, processes of the previous release cannot add numbers to the inventory.
 */
export const sandboxKinds = sqlMigration(
  '0065-sandbox-kinds',
  `
  ALTER TABLE numbers ADD COLUMN sandbox boolean NOT NULL DEFAULT false;
  ALTER TABLE numbers DROP CONSTRAINT numbers_e164;
  CREATE UNIQUE INDEX numbers_e164 ON numbers (e164) WHERE NOT sandbox;
  CREATE UNIQUE INDEX numbers_sandbox ON numbers (project_id, e164) WHERE sandbox;
  ALTER TABLE numbers ADD CONSTRAINT numbers_sandbox_state
    CHECK (NOT sandbox OR state IN ('assigned', 'porting', 'released'));

  ALTER TABLE own_number_claims ADD COLUMN sandbox boolean NOT NULL DEFAULT false;
  ALTER TABLE porting_requests ADD COLUMN sandbox boolean NOT NULL DEFAULT false;

  -- The previous release inserts whole rows without knowing the column.
  CREATE FUNCTION give_live_kind() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.sandbox := false;
    RETURN NEW;
  END $$;
  CREATE TRIGGER numbers_kind BEFORE INSERT ON numbers
    FOR EACH ROW WHEN (NEW.sandbox IS NULL) EXECUTE FUNCTION give_live_kind();
  CREATE TRIGGER own_number_claims_kind BEFORE INSERT ON own_number_claims
    FOR EACH ROW WHEN (NEW.sandbox IS NULL) EXECUTE FUNCTION give_live_kind();
  CREATE TRIGGER porting_requests_kind BEFORE INSERT ON porting_requests
    FOR EACH ROW WHEN (NEW.sandbox IS NULL) EXECUTE FUNCTION give_live_kind();

  ALTER TABLE audio_files ADD COLUMN sandbox boolean NOT NULL DEFAULT false;
  UPDATE audio_files AS audio SET sandbox = true
  FROM projects JOIN organizations ON organizations.id = projects.organization_id
  WHERE projects.id = audio.project_id AND (
    organizations.account_kind = 'sandbox'
    OR EXISTS (
      SELECT FROM callflows AS flow
      WHERE flow.project_id = audio.project_id AND flow.sandbox AND flow.removed_at IS NULL
        AND flow.uses->'audio' ? audio.id::text
    ) AND NOT EXISTS (
      SELECT FROM callflows AS flow
      WHERE flow.project_id = audio.project_id AND NOT flow.sandbox AND flow.removed_at IS NULL
        AND flow.uses->'audio' ? audio.id::text
    ) AND NOT EXISTS (SELECT FROM queues WHERE queues.project_id = audio.project_id AND queues.music = audio.id)
    AND NOT EXISTS (
      SELECT FROM voicemail_boxes AS box
      WHERE box.project_id = audio.project_id AND box.greeting->>'audio_id' = audio.id::text
    )
  );
  `,
  `
  ALTER TABLE audio_files DROP COLUMN sandbox;
  DROP TRIGGER numbers_kind ON numbers;
  DROP TRIGGER own_number_claims_kind ON own_number_claims;
  DROP TRIGGER porting_requests_kind ON porting_requests;
  DROP FUNCTION give_live_kind();

  -- The previous release knows live rows only.
  DELETE FROM number_documents AS document USING own_number_claims AS claim
  WHERE claim.id = document.claim_id AND claim.sandbox;
  DELETE FROM own_number_claims WHERE sandbox;
  DELETE FROM number_documents AS document USING porting_requests AS request
  WHERE request.id = document.porting_request_id AND request.sandbox;
  DELETE FROM porting_changes AS change USING porting_requests AS request
  WHERE request.id = change.porting_request_id AND request.sandbox;
  DELETE FROM porting_requests WHERE sandbox;
  DELETE FROM number_changes AS change USING numbers AS number WHERE number.id = change.number_id AND number.sandbox;
  DELETE FROM voicemails AS message USING numbers AS number WHERE number.id = message.box_id AND number.sandbox;
  UPDATE recordings AS recording SET box_id = NULL, is_greeting = NULL
  FROM numbers AS number WHERE number.id = recording.box_id AND number.sandbox;
  DELETE FROM voicemail_boxes AS box USING numbers AS number WHERE number.id = box.number_id AND number.sandbox;
  DELETE FROM numbers WHERE sandbox;
  ALTER TABLE own_number_claims DROP COLUMN sandbox;
  ALTER TABLE porting_requests DROP COLUMN sandbox;
  DROP INDEX numbers_e164;
  ALTER TABLE numbers
    DROP COLUMN sandbox,
    ADD CONSTRAINT numbers_e164 UNIQUE (e164);
  `,
);
