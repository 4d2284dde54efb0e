import { sqlMigration } from './migration.js';

/**
 * The people of organizations, their sessions and tokens, and the settings of organizations about both.
 *
 * A user's requests have idempotency keys, too, so these no longer refer to an API key.
 */
export const usersAndSessions = sqlMigration(
  '0080-users-and-sessions',
  `
  ALTER TABLE organizations
    ADD COLUMN suspended_at timestamptz(3),
    ADD COLUMN session_idle_minutes integer NOT NULL DEFAULT 720 CHECK (session_idle_minutes > 0),
    ADD COLUMN second_factor_required boolean NOT NULL DEFAULT false,
    ADD COLUMN key_reveal boolean NOT NULL DEFAULT false;

  CREATE TABLE users (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    -- In lower case.
    email text NOT NULL CONSTRAINT users_email UNIQUE,
    name text NOT NULL,
    -- Null: single sign-on, or not set yet.
    password_hash text,
    locale text NOT NULL CHECK (locale IN ('ar', 'en')),
    phone text,
    phone_confirmed_at timestamptz(3),
    email_confirmed_at timestamptz(3),
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'supervisor', 'agent', 'finance', 'viewer')),
    -- Null: all of the organization.
    project_ids uuid[],
    agent text,
    disabled_at timestamptz(3),
    last_sign_in_at timestamptz(3),
    created_at timestamptz(3) NOT NULL
  );
  CREATE INDEX users_organization ON users (organization_id, id);

  CREATE TABLE sessions (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations,
    client text NOT NULL CHECK (client IN ('browser', 'other')),
    ip text NOT NULL,
    user_agent text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    last_used_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    -- When the user last gave a password or passkey in this session.
    confirmed_at timestamptz(3),
    -- The administrator who acts as the user: the session only reads.
    impersonated_by uuid,
    revoked_at timestamptz(3),
    revoked_reason text
  );
  CREATE INDEX sessions_user ON sessions (user_id, id);
  CREATE INDEX sessions_expiry ON sessions (expires_at);

  CREATE TABLE session_tokens (
    hash text PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('access', 'refresh')),
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    used_at timestamptz(3)
  );
  CREATE INDEX session_tokens_session ON session_tokens (session_id);
  CREATE INDEX session_tokens_expiry ON session_tokens (expires_at);

  CREATE TABLE user_tokens (
    hash text PRIMARY KEY,
    purpose text NOT NULL,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    data jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    used_at timestamptz(3)
  );
  CREATE INDEX user_tokens_user ON user_tokens (user_id, purpose);
  CREATE INDEX user_tokens_expiry ON user_tokens (expires_at);

  ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_key_id_fkey;
  `,
  `
  DELETE FROM idempotency_keys AS kept WHERE NOT EXISTS (SELECT FROM api_keys WHERE api_keys.id = kept.key_id);
  ALTER TABLE idempotency_keys
    ADD CONSTRAINT idempotency_keys_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys ON DELETE CASCADE;

  DROP TABLE user_tokens, session_tokens, sessions, users;
  ALTER TABLE organizations
    DROP COLUMN suspended_at, DROP COLUMN session_idle_minutes, DROP COLUMN second_factor_required, DROP COLUMN key_reveal;
  `,
);
