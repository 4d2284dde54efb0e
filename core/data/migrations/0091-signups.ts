import { sqlMigration } from './migration.js';

/** Sign-ups that wait for the confirmation of their address, and the mails about them. */
export const signups = sqlMigration(
  '0091-signups',
  `
  CREATE TABLE signups (
    id uuid PRIMARY KEY,
    -- In lower case. An address can have several: only its owner can confirm one.
    email text NOT NULL,
    password_hash text NOT NULL,
    name text NOT NULL,
    organization_name text NOT NULL,
    locale text NOT NULL CHECK (locale IN ('ar', 'en')),
    -- SHA-256 of the token of the last mail.
    token_hash text NOT NULL CONSTRAINT signups_token UNIQUE,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL
  );
  CREATE INDEX signups_email ON signups (email);
  CREATE INDEX signups_expiry ON signups (expires_at);

  ALTER TABLE owner_mails DROP CONSTRAINT owner_mails_kind;
  ALTER TABLE owner_mails ADD CONSTRAINT owner_mails_kind CHECK (CASE
    WHEN recipient IS NULL THEN kind IN ('webhook_disabled', 'fraud_blocked')
      AND organization_id IS NOT NULL AND project_id IS NOT NULL AND locale IS NULL
    ELSE kind IN ('confirm_email', 'reset_password', 'invite', 'new_device', 'session_reuse', 'password_changed',
        'second_factor_changed', 'owner_created', 'production_decided', 'email_changed', 'signup', 'signup_known')
      AND organization_id IS NULL AND project_id IS NULL AND locale IS NOT NULL
  END);
  `,
  `
  DELETE FROM owner_mails WHERE kind IN ('signup', 'signup_known');
  ALTER TABLE owner_mails DROP CONSTRAINT owner_mails_kind;
  ALTER TABLE owner_mails ADD CONSTRAINT owner_mails_kind CHECK (CASE
    WHEN recipient IS NULL THEN kind IN ('webhook_disabled', 'fraud_blocked')
      AND organization_id IS NOT NULL AND project_id IS NOT NULL AND locale IS NULL
    ELSE kind IN ('confirm_email', 'reset_password', 'invite', 'new_device', 'session_reuse', 'password_changed',
        'second_factor_changed', 'owner_created', 'production_decided', 'email_changed')
      AND organization_id IS NULL AND project_id IS NULL AND locale IS NOT NULL
  END);
  DROP TABLE signups;
  `,
);
