import { sqlMigration } from './migration.js';

/** The columns of work that continues after a crash where it stopped: who takes a row increases its version. */
const WORK = `
    status text NOT NULL CHECK (status IN ('waiting', 'running', 'completed', 'failed')),
    step text NOT NULL,
    -- How far the step is.
    cursor jsonb,
    -- What was found, erased and kept, by category.
    report jsonb NOT NULL DEFAULT '[]',
    -- Why the last attempt did not succeed.
    problem text,
    attempts integer NOT NULL DEFAULT 0,
    version integer NOT NULL DEFAULT 0,
    -- When a process may work on it, or end of the current claim; null: nothing is left to do.
    due_at timestamptz(3),
    -- The files of the archive: storage, storage_key, bytes, sha256.
    parts jsonb NOT NULL DEFAULT '[]',
    -- When the archive is deleted; null without one.
    expires_at timestamptz(3),
    -- When the last of what the law keeps may go; null: nothing is kept.
    kept_until timestamptz(3),
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3)`;

const REFUSES = `
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';`;

/**
 * Exports and erasures of what an organization holds of a person, and the end of organizations.
 *
 * Charges, invoices and the ledger never change, until the years end for which they must be kept: a transaction that
 * sets `hatif.retention_ended` may then delete them.
 */
export const privacy = sqlMigration(
  '0092-privacy',
  `
  ALTER TABLE organizations ADD COLUMN ended_at timestamptz(3);
  CREATE INDEX organizations_ended ON organizations (id) WHERE ended_at IS NOT NULL;

  CREATE TABLE privacy_jobs (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    kind text NOT NULL CHECK (kind IN ('export', 'erasure')),
    -- Sealed; null once nothing is left to do for it.
    subject text,
    subject_type text NOT NULL CHECK (subject_type IN ('phone', 'email', 'external_id', 'user')),
    subject_masked text NOT NULL,
    -- The member.
    requested_by uuid NOT NULL,
    ${WORK}
  );
  CREATE INDEX privacy_jobs_page ON privacy_jobs (organization_id, kind, id);
  CREATE INDEX privacy_jobs_due ON privacy_jobs (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX privacy_jobs_expiry ON privacy_jobs (expires_at) WHERE expires_at IS NOT NULL;

  -- The calls in which the person of a job was found.
  CREATE TABLE privacy_calls (
    job_id uuid NOT NULL REFERENCES privacy_jobs ON DELETE CASCADE,
    call_id uuid NOT NULL,
    -- The call is of another customer: the person only joined it.
    is_party boolean NOT NULL,
    PRIMARY KEY (job_id, call_id)
  );

  -- No foreign key: it reports the end of the organization after its last row is gone.
  CREATE TABLE organization_endings (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL CONSTRAINT organization_endings_organization UNIQUE,
    organization_name text NOT NULL,
    -- The administrator; null: the command on the machine.
    requested_by uuid,
    ${WORK}
  );
  CREATE INDEX organization_endings_due ON organization_endings (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX organization_endings_expiry ON organization_endings (expires_at) WHERE expires_at IS NOT NULL;

  CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'TRUNCATE' AND current_setting('hatif.retention_ended', true) = 'on' THEN RETURN NULL; END IF;${REFUSES}
  END $$;
  `,
  `
  CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN${REFUSES}
  END $$;
  DROP TABLE organization_endings, privacy_calls, privacy_jobs;
  ALTER TABLE organizations DROP COLUMN ended_at;
  `,
);
