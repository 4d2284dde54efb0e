import { sqlMigration } from './migration.js';

/**
 * Telephony resources: engines and trunks (the operator's), numbers, agents and audio (the
 * projects').
 */
export const telephony = sqlMigration(
  '0002-telephony',
  `
  CREATE TABLE trunks (
    id uuid PRIMARY KEY,
    name text NOT NULL CONSTRAINT trunks_name UNIQUE,
    host text NOT NULL,
    port integer NOT NULL CHECK (port BETWEEN 1 AND 65535),
    transport text NOT NULL CHECK (transport IN ('udp', 'tcp', 'tls')),
    username text,
    password text,
    inbound_addresses text[] NOT NULL DEFAULT '{}',
    foreign_numbers boolean NOT NULL DEFAULT true,
    is_default boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CHECK ((username IS NULL) = (password IS NULL))
  );
  CREATE UNIQUE INDEX trunks_one_default ON trunks (is_default) WHERE is_default;

  CREATE TABLE numbers (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    e164 text NOT NULL CONSTRAINT numbers_e164 UNIQUE CHECK (e164 ~ '^\\+[0-9]{2,15}$'),
    state text NOT NULL CHECK (state IN ('assigned', 'released')),
    binding jsonb,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX numbers_project ON numbers (project_id, id);
  CREATE INDEX numbers_organization ON numbers (organization_id);

  CREATE TABLE agents (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects,
    organization_id uuid NOT NULL REFERENCES organizations,
    agent text NOT NULL,
    aor text NOT NULL CONSTRAINT agents_aor UNIQUE,
    display_name text NOT NULL,
    sip_password text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT agents_extension UNIQUE (project_id, agent)
  );

  CREATE TABLE engines (
    id uuid PRIMARY KEY,
    name text NOT NULL CONSTRAINT engines_name UNIQUE,
    kind text NOT NULL CHECK (kind IN ('asterisk', 'freeswitch', 'simulator')),
    status text NOT NULL DEFAULT 'unreachable' CHECK (status IN ('up', 'unreachable')),
    boot_id text,
    version text,
    owner text,
    epoch bigint NOT NULL DEFAULT 0,
    lease_expires_at timestamptz(3),
    seen_at timestamptz(3)
  ) WITH (fillfactor = 20);

  CREATE TABLE audio_files (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects,
    name text NOT NULL,
    duration_ms integer NOT NULL CHECK (duration_ms >= 0),
    bytes integer NOT NULL CHECK (bytes >= 0),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX audio_files_project ON audio_files (project_id, id);
  `,
  `DROP TABLE audio_files, engines, agents, numbers, trunks;`,
);
