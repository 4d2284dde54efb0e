import { sqlMigration } from './migration.js';

/**
 * Requests of sandbox organizations for production access with their documents, and the national identities of people:
 * a keyed hash and the last four digits, never the number.
 */
export const productionAccess = sqlMigration(
  '0089-production-access',
  `
  CREATE TABLE production_requests (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    status text NOT NULL CHECK (status IN ('draft', 'submitted', 'in_review', 'approved', 'rejected', 'withdrawn')),
    company text NOT NULL,
    commercial_registration text NOT NULL,
    vat_number text,
    use text NOT NULL,
    expected_calls integer NOT NULL,
    identity_waived boolean NOT NULL DEFAULT false,
    reason text,
    created_by uuid NOT NULL,
    created_at timestamptz(3) NOT NULL,
    submitted_at timestamptz(3),
    ended_at timestamptz(3)
  );
  CREATE INDEX production_requests_page ON production_requests (organization_id, id);
  CREATE UNIQUE INDEX production_requests_open ON production_requests (organization_id)
    WHERE status IN ('draft', 'submitted', 'in_review');

  ALTER TABLE number_documents ADD COLUMN production_request_id uuid REFERENCES production_requests;
  ALTER TABLE number_documents
    DROP CONSTRAINT number_documents_kind_check,
    DROP CONSTRAINT number_documents_check,
    ADD CONSTRAINT number_documents_kind_check CHECK (kind IN
      ('authorization', 'invoice', 'identity', 'commercial_registration', 'vat_certificate', 'other')),
    ADD CONSTRAINT number_documents_check
      CHECK (num_nonnulls(porting_request_id, claim_id, production_request_id) = 1);
  CREATE INDEX number_documents_production ON number_documents (production_request_id)
    WHERE production_request_id IS NOT NULL;

  CREATE TABLE identity_verifications (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    hash text NOT NULL,
    last4 text NOT NULL,
    match_number text NOT NULL,
    state text NOT NULL CHECK (state IN ('pending', 'verified', 'rejected', 'expired')),
    reason text,
    registered_elsewhere boolean NOT NULL DEFAULT false,
    checks integer NOT NULL DEFAULT 0,
    next_check_at timestamptz(3) NOT NULL,
    asked_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3)
  );
  CREATE INDEX identity_verifications_page ON identity_verifications (user_id, id);
  CREATE INDEX identity_verifications_due ON identity_verifications (next_check_at) WHERE state = 'pending';

  CREATE TABLE identities (
    user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations,
    hash text NOT NULL,
    last4 text NOT NULL,
    verified_at timestamptz(3) NOT NULL
  );
  CREATE INDEX identities_hash ON identities (hash);
  CREATE INDEX identities_organization ON identities (organization_id);
  `,
  `
  DROP TABLE identities, identity_verifications;
  DELETE FROM number_documents WHERE production_request_id IS NOT NULL;
  ALTER TABLE number_documents
    DROP CONSTRAINT number_documents_kind_check,
    DROP CONSTRAINT number_documents_check,
    DROP COLUMN production_request_id,
    ADD CONSTRAINT number_documents_kind_check CHECK (kind IN ('authorization', 'invoice', 'identity', 'other')),
    ADD CONSTRAINT number_documents_check CHECK (num_nonnulls(porting_request_id, claim_id) = 1);
  DROP TABLE production_requests;
  `,
);
