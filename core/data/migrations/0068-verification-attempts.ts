import { sqlMigration } from './migration.js';

/** Each sending of a code with its outcome, and the channels that follow a failure. */
export const verificationAttempts = sqlMigration(
  '0068-verification-attempts',
  `
  ALTER TABLE verifications ADD COLUMN fallback jsonb NOT NULL DEFAULT '[]';

  CREATE TABLE verification_attempts (
    verification_id uuid NOT NULL REFERENCES verifications ON DELETE CASCADE,
    number integer NOT NULL CHECK (number > 0),
    -- 0: the verification's own channel; 1 is the first fallback.
    step integer NOT NULL CHECK (step >= 0),
    channel text NOT NULL CHECK (channel IN ('voice', 'sms', 'chatapp', 'email')),
    recipient text NOT NULL,
    state text NOT NULL CHECK (state IN ('sending', 'sent', 'failed')),
    reason text CHECK (reason IN ('busy', 'no_answer', 'rejected', 'invalid_number', 'unreachable', 'not_sent',
      'limited', 'blocked', 'refused', 'not_configured')),
    call_id uuid,
    created_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    PRIMARY KEY (verification_id, number),
    CHECK ((state = 'failed') = (reason IS NOT NULL)),
    CHECK ((state = 'sending') = (ended_at IS NULL))
  );
  CREATE INDEX verification_attempts_sending ON verification_attempts (created_at) WHERE state = 'sending';
  `,
  `
  DROP TABLE verification_attempts;
  ALTER TABLE verifications DROP COLUMN fallback;
  `,
);
