import { sqlMigration } from './migration.js';

/** Certificates from an ACME authority, which all processes share. */
export const certificates = sqlMigration(
  '0097-certificates',
  `
  CREATE TABLE acme_accounts (
    -- The URL of its directory.
    authority text PRIMARY KEY,
    -- Sealed.
    key text NOT NULL,
    created_at timestamptz(3) NOT NULL
  );

  CREATE TABLE acme_certificates (
    authority text NOT NULL,
    -- In order, with commas between.
    names text NOT NULL,
    -- When a process last ran whose settings ask for it.
    wanted_at timestamptz(3) NOT NULL,
    -- PEM; the key is sealed.
    chain text,
    key text,
    not_before timestamptz(3),
    not_after timestamptz(3),
    issued_at timestamptz(3),
    next_attempt_at timestamptz(3) NOT NULL,
    -- Since the last success.
    failures integer NOT NULL DEFAULT 0,
    failure text,
    PRIMARY KEY (authority, names),
    CHECK ((chain IS NULL) = (key IS NULL) AND (chain IS NULL) = (not_after IS NULL))
  );

  CREATE TABLE acme_challenges (
    token text PRIMARY KEY,
    answer text NOT NULL,
    expires_at timestamptz(3) NOT NULL
  );
  `,
  `
  DROP TABLE acme_challenges;
  DROP TABLE acme_certificates;
  DROP TABLE acme_accounts;
  `,
);
