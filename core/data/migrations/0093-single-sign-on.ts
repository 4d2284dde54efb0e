import { sqlMigration } from './migration.js';

/** Single sign-on of organizations, and the members and groups that their directories provision. */
export const singleSignOn = sqlMigration(
  '0093-single-sign-on',
  `
  CREATE TABLE sso_settings (
    organization_id uuid PRIMARY KEY REFERENCES organizations,
    issuer text NOT NULL,
    client_id text NOT NULL,
    -- Sealed; null for a public client.
    client_secret text,
    client_authentication text NOT NULL CHECK (client_authentication IN ('basic', 'post')),
    scopes text[] NOT NULL,
    group_claim text NOT NULL,
    -- Objects with group, role and project_ids; the first that fits counts.
    group_roles jsonb NOT NULL,
    default_role text
      CHECK (default_role IN ('owner', 'admin', 'developer', 'supervisor', 'agent', 'finance', 'viewer')),
    -- Null: all.
    default_project_ids uuid[],
    admits_owners boolean NOT NULL,
    enabled boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL
  );

  CREATE TABLE sso_domains (
    organization_id uuid NOT NULL REFERENCES organizations,
    -- In lower case and ASCII.
    domain text NOT NULL,
    token text NOT NULL,
    forced boolean NOT NULL,
    verified_at timestamptz(3),
    verified_by text CHECK (verified_by IN ('dns', 'administrator')),
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, domain),
    CHECK ((verified_at IS NULL) = (verified_by IS NULL)),
    CHECK (NOT forced OR verified_at IS NOT NULL)
  );
  -- Several organizations may claim a domain; one proves it.
  CREATE UNIQUE INDEX sso_domains_verified ON sso_domains (domain) WHERE verified_at IS NOT NULL;

  CREATE TABLE sso_flows (
    -- SHA-256 each.
    state_hash text PRIMARY KEY,
    browser_hash text NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations,
    issuer text NOT NULL,
    client_id text NOT NULL,
    -- Sealed.
    secrets text NOT NULL,
    max_age_seconds integer,
    client text NOT NULL CHECK (client IN ('browser', 'other')),
    target text NOT NULL,
    challenge text,
    expires_at timestamptz(3) NOT NULL,
    CHECK ((client = 'other') = (challenge IS NOT NULL))
  );
  CREATE INDEX sso_flows_expiry ON sso_flows (expires_at);

  CREATE TABLE sso_codes (
    -- SHA-256
    hash text PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    challenge text NOT NULL,
    second_factor boolean NOT NULL,
    confirmed_at timestamptz(3),
    expires_at timestamptz(3) NOT NULL
  );
  CREATE INDEX sso_codes_expiry ON sso_codes (expires_at);
  CREATE INDEX sso_codes_user ON sso_codes (user_id);

  -- Who a person of an identity provider is here.
  CREATE TABLE sso_identities (
    organization_id uuid NOT NULL REFERENCES organizations,
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz(3) NOT NULL,
    last_used_at timestamptz(3) NOT NULL,
    PRIMARY KEY (organization_id, issuer, subject),
    CONSTRAINT sso_identities_user UNIQUE (user_id, issuer)
  );

  CREATE TABLE scim_tokens (
    organization_id uuid PRIMARY KEY REFERENCES organizations,
    id uuid NOT NULL,
    prefix text NOT NULL,
    -- SHA-256
    hash text NOT NULL CONSTRAINT scim_tokens_hash UNIQUE,
    keys_of_leavers text NOT NULL CHECK (keys_of_leavers IN ('revoke', 'keep')),
    created_at timestamptz(3) NOT NULL,
    last_used_at timestamptz(3)
  );

  CREATE TABLE scim_users (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations,
    user_name text NOT NULL,
    external_id text,
    document jsonb NOT NULL,
    active boolean NOT NULL,
    admitted boolean NOT NULL,
    held_since timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX scim_users_name ON scim_users (organization_id, lower(user_name));
  CREATE INDEX scim_users_external ON scim_users (organization_id, external_id) WHERE external_id IS NOT NULL;

  CREATE TABLE scim_groups (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    display_name text NOT NULL,
    external_id text,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX scim_groups_name ON scim_groups (organization_id, lower(display_name));

  CREATE TABLE scim_group_members (
    group_id uuid NOT NULL REFERENCES scim_groups ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
  );
  CREATE INDEX scim_group_members_user ON scim_group_members (user_id);
  `,
  `
  DROP TABLE scim_group_members, scim_groups, scim_users, scim_tokens;
  DROP TABLE sso_identities, sso_codes, sso_flows, sso_domains, sso_settings;
  `,
);
