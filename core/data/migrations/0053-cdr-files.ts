import { sqlMigration } from './migration.js';

/** Call detail record files, with the usage figures of their day at the time of writing. */
export const cdrFiles = sqlMigration(
  '0053-cdr-files',
  `
  CREATE TABLE cdr_files (
    organization_id uuid NOT NULL REFERENCES organizations,
    -- Riyadh day on which the calls were created.
    day date NOT NULL,
    revision integer NOT NULL CHECK (revision > 0),
    -- Usage before the file was written: if it changes, another revision follows.
    usage_calls bigint NOT NULL,
    usage_seconds bigint NOT NULL,
    usage_cost bigint NOT NULL,
    calls bigint NOT NULL,
    amount bigint NOT NULL,
    bytes bigint NOT NULL,
    sha256 text NOT NULL,
    storage text NOT NULL CHECK (storage IN ('local', 's3')),
    storage_key text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    -- When its retention ended.
    removed_at timestamptz(3),
    PRIMARY KEY (organization_id, day, revision)
  );
  CREATE INDEX cdr_files_kept ON cdr_files (day) WHERE removed_at IS NULL;
  `,
  `DROP TABLE cdr_files;`,
);
