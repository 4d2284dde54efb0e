import { sqlMigration } from './migration.js';

/** Invitations of members, secrets of keys that can be revealed, and projects that were removed. */
export const invitesAndKeptSecrets = sqlMigration(
  '0084-invites-and-kept-secrets',
  `
  CREATE TABLE invites (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    -- Lower case.
    email text NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'supervisor', 'agent', 'finance', 'viewer')),
    -- Null: all.
    project_ids uuid[],
    agent text,
    locale text NOT NULL CHECK (locale IN ('ar', 'en')),
    -- SHA-256 of the token of the last mail.
    token_hash text NOT NULL CONSTRAINT invites_token UNIQUE,
    -- A pending invitation that is past its time is expired.
    status text NOT NULL CHECK (status IN ('pending', 'accepted', 'revoked')),
    -- Null once that member is gone.
    invited_by uuid REFERENCES users ON DELETE SET NULL,
    created_at timestamptz(3) NOT NULL,
    sent_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    decided_at timestamptz(3),
    CHECK ((status = 'pending') = (decided_at IS NULL))
  );
  CREATE UNIQUE INDEX invites_pending ON invites (organization_id, email) WHERE status = 'pending';
  CREATE INDEX invites_page ON invites (organization_id, id);
  CREATE INDEX invites_inviter ON invites (invited_by);

  ALTER TABLE api_keys
    -- Sealed, while the organization lets keys be revealed; null otherwise.
    ADD kept_secret text,
    ADD kept_at timestamptz(3) CONSTRAINT api_keys_kept CHECK ((kept_secret IS NULL) = (kept_at IS NULL)),
    -- The member; null: made by the operator, or that member is gone.
    ADD created_by uuid REFERENCES users ON DELETE SET NULL;
  CREATE INDEX api_keys_kept_at ON api_keys (kept_at) WHERE kept_at IS NOT NULL;
  CREATE INDEX api_keys_creator ON api_keys (created_by) WHERE created_by IS NOT NULL;

  ALTER TABLE projects ADD removed_at timestamptz(3);
  `,
  `
  ALTER TABLE projects DROP COLUMN removed_at;
  ALTER TABLE api_keys DROP CONSTRAINT api_keys_kept, DROP COLUMN kept_secret, DROP COLUMN kept_at, DROP COLUMN created_by;
  DROP TABLE invites;
  `,
);
