import { sqlMigration } from './migration.js';

/** What proves a user's identity beside the password, and which sessions were proved with it. */
export const secondFactors = sqlMigration(
  '0082-second-factors',
  `
  ALTER TABLE sessions ADD COLUMN second_factor boolean NOT NULL DEFAULT false;

  CREATE TABLE totp_factors (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    -- Sealed; null until the user has confirmed the first one.
    secret text,
    confirmed_at timestamptz(3),
    -- The last time-step whose code was used: neither it nor an earlier one is accepted again.
    last_step bigint NOT NULL DEFAULT 0,
    -- Sealed; the secret that is being set up, and since when.
    pending text,
    pending_at timestamptz(3)
  );

  CREATE TABLE recovery_codes (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- Keyed hash.
    hash text NOT NULL,
    used_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, hash)
  );

  CREATE TABLE passkeys (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The authenticator's ID, and the public key in COSE: both base64url.
    credential_id text NOT NULL CONSTRAINT passkeys_credential UNIQUE,
    public_key text NOT NULL,
    -- The authenticator's own count of its signatures; 0 if it does not count.
    counter bigint NOT NULL,
    transports text[] NOT NULL,
    name text NOT NULL,
    is_synced boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    last_used_at timestamptz(3)
  );
  CREATE INDEX passkeys_user ON passkeys (user_id, id);

  CREATE TABLE passkey_challenges (
    challenge text PRIMARY KEY,
    -- Whose new passkey answers it; null: a sign-in.
    user_id uuid REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz(3) NOT NULL
  );
  CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);
  `,
  `
  DROP TABLE passkey_challenges, passkeys, recovery_codes, totp_factors;
  ALTER TABLE sessions DROP COLUMN second_factor;
  `,
);
