import { sqlMigration } from './migration.js';

/** Which files of call detail records were written, and what usage said of their days then. */
export const cdrFiles = sqlMigration(
  '0053-cdr-files',
  `
  CREATE TABLE cdr_files (
    organization_id uuid NOT NULL REFERENCES organizations,
    -- Of Riyadh, in which the calls were created.
    day date NOT NULL,
    revision integer NOT NULL CHECK (revision > 0),
    -- Of usage before the file was written: when it says something else, another revision follows.
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
    -- When it had been kept for long enough.
    removed_at timestamptz(3),
    PRIMARY KEY (organization_id, day, revision)
  );
  CREATE INDEX cdr_files_kept ON cdr_files (day) WHERE removed_at IS NULL;
  `,
  `DROP TABLE cdr_files;`,
);
