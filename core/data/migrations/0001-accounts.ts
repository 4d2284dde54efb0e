import { sqlMigration } from './migration.js';

/** Accounts: organizations, their projects, the projects' keys, and the audit log. */
export const accounts = sqlMigration(
  '0001-accounts',
  `
  CREATE TABLE organizations (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    account_kind text NOT NULL CHECK (account_kind IN ('sandbox', 'production')),
    flags jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );

  CREATE TABLE projects (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    name text NOT NULL,
    main_number text,
    default_destination jsonb,
    signing_secret text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX projects_organization ON projects (organization_id);

  CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects,
    organization_id uuid NOT NULL REFERENCES organizations,
    name text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('sandbox', 'live')),
    prefix text NOT NULL,
    hash text NOT NULL CONSTRAINT api_keys_hash UNIQUE,
    scopes text[] NOT NULL,
    allowed_ips text[] NOT NULL DEFAULT '{}',
    rate_limit_per_minute integer CHECK (rate_limit_per_minute > 0),
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX api_keys_project ON api_keys (project_id, id);

  CREATE TABLE idempotency_keys (
    key_id uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    method text NOT NULL,
    path text NOT NULL,
    idempotency_key text NOT NULL,
    body_hmac text NOT NULL,
    state text NOT NULL CHECK (state IN ('running', 'done')),
    status_code integer,
    response jsonb,
    headers jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (key_id, method, path, idempotency_key)
  );
  CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

  -- No foreign keys: audit rows outlive the rows that they refer to.
  CREATE TABLE audit_log (
    id uuid PRIMARY KEY,
    organization_id uuid,
    project_id uuid,
    key_id uuid,
    request_id text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    route text NOT NULL,
    status integer NOT NULL,
    error_code text,
    ip text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX audit_log_project ON audit_log (project_id, id DESC);
  `,
  `DROP TABLE audit_log, idempotency_keys, api_keys, projects, organizations;`,
);
