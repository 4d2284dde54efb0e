import { sqlMigration } from './migration.js';

/**
 * The life cycle of numbers from the inventory to the customer and back, virtual numbers, own
 * numbers, porting, and documents.
 */
export const numbers = sqlMigration(
  '0024-numbers',
  `
  ALTER TABLE numbers
    ALTER COLUMN organization_id DROP NOT NULL,
    ALTER COLUMN project_id DROP NOT NULL,
    DROP CONSTRAINT numbers_state_check,
    -- The previous release does not know this column: numbers that it adds during an upgrade count
    -- as foreign.
    ADD COLUMN kind text NOT NULL DEFAULT 'foreign'
      CHECK (kind IN ('geographic', 'mobile', 'toll_free', 'unified', 'foreign')),
    ADD COLUMN source text NOT NULL DEFAULT 'operator' CHECK (source IN ('operator', 'provider', 'own', 'ported')),
    ADD COLUMN provider text,
    ADD COLUMN label text,
    ADD COLUMN order_id uuid,
    ADD COLUMN due_at timestamptz(3),
    ADD COLUMN assigned_at timestamptz(3);
  UPDATE numbers SET assigned_at = created_at, kind = CASE
    WHEN e164 LIKE '+9665%' THEN 'mobile'
    WHEN e164 LIKE '+9661%' THEN 'geographic'
    WHEN e164 LIKE '+966800%' THEN 'toll_free'
    WHEN e164 LIKE '+9669200%' THEN 'unified'
    ELSE 'foreign' END;
  UPDATE numbers SET organization_id = NULL, project_id = NULL WHERE state = 'released';
  ALTER TABLE numbers
    ADD CONSTRAINT numbers_state_check
      CHECK (state IN ('available', 'reserved', 'assigned', 'porting', 'released', 'quarantined')),
    ADD CONSTRAINT numbers_owner CHECK (
      (state = 'released' OR (state IN ('reserved', 'assigned', 'porting')) = (project_id IS NOT NULL))
      AND (project_id IS NULL) = (organization_id IS NULL)
    );
  CREATE INDEX numbers_available ON numbers (e164 text_pattern_ops) WHERE state = 'available';
  CREATE INDEX numbers_due ON numbers (due_at) WHERE due_at IS NOT NULL;

  CREATE TABLE number_changes (
    id uuid PRIMARY KEY,
    number_id uuid NOT NULL REFERENCES numbers,
    from_state text,
    to_state text NOT NULL,
    organization_id uuid REFERENCES organizations,
    project_id uuid REFERENCES projects,
    reason text NOT NULL,
    at timestamptz(3) NOT NULL
  );
  CREATE INDEX number_changes_number ON number_changes (number_id, id);

  CREATE TABLE virtual_numbers (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    number_id uuid NOT NULL REFERENCES numbers,
    e164 text NOT NULL,
    status text NOT NULL CHECK (status IN ('assigned', 'released')),
    external_user_id text NOT NULL,
    display_name text,
    contact_id uuid,
    instructions jsonb NOT NULL,
    audio_id uuid,
    audio_path text,
    assigned_at timestamptz(3) NOT NULL,
    released_at timestamptz(3),
    CHECK ((status = 'released') = (released_at IS NOT NULL))
  );
  CREATE UNIQUE INDEX virtual_numbers_user ON virtual_numbers (project_id, external_user_id) WHERE status = 'assigned';
  CREATE UNIQUE INDEX virtual_numbers_number ON virtual_numbers (number_id) WHERE status = 'assigned';
  CREATE INDEX virtual_numbers_project ON virtual_numbers (project_id, id);

  CREATE TABLE own_number_claims (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    e164 text NOT NULL,
    method text NOT NULL CHECK (method IN ('call', 'letter')),
    status text NOT NULL CHECK (status IN ('pending', 'verified', 'rejected', 'failed', 'expired')),
    code_id uuid REFERENCES one_time_codes ON DELETE SET NULL,
    call_id uuid,
    reason text,
    number_id uuid REFERENCES numbers,
    expires_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL,
    decided_at timestamptz(3)
  );
  CREATE INDEX own_number_claims_project ON own_number_claims (project_id, id);
  CREATE INDEX own_number_claims_number ON own_number_claims (e164, created_at);

  CREATE TABLE porting_requests (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    numbers text[] NOT NULL,
    carrier text NOT NULL,
    account_name text NOT NULL,
    account_number text,
    notes text,
    wanted_at timestamptz(3),
    status text NOT NULL
      CHECK (status IN ('draft', 'submitted', 'in_review', 'scheduled', 'completed', 'rejected', 'cancelled')),
    reason text,
    scheduled_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    submitted_at timestamptz(3),
    ended_at timestamptz(3)
  );
  CREATE INDEX porting_requests_project ON porting_requests (project_id, id);

  CREATE TABLE porting_changes (
    id uuid PRIMARY KEY,
    porting_request_id uuid NOT NULL REFERENCES porting_requests,
    from_status text NOT NULL,
    to_status text NOT NULL,
    made_by text NOT NULL CHECK (made_by IN ('customer', 'operator')),
    reason text,
    at timestamptz(3) NOT NULL
  );
  CREATE INDEX porting_changes_request ON porting_changes (porting_request_id, id);

  CREATE TABLE number_documents (
    id uuid PRIMARY KEY,
    porting_request_id uuid REFERENCES porting_requests,
    claim_id uuid REFERENCES own_number_claims,
    kind text NOT NULL CHECK (kind IN ('authorization', 'invoice', 'identity', 'other')),
    name text NOT NULL,
    media_type text NOT NULL,
    bytes integer NOT NULL,
    sha256 text NOT NULL,
    storage text NOT NULL CHECK (storage IN ('local', 's3')),
    storage_key text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CHECK (num_nonnulls(porting_request_id, claim_id) = 1)
  );
  CREATE INDEX number_documents_porting ON number_documents (porting_request_id) WHERE porting_request_id IS NOT NULL;
  CREATE INDEX number_documents_claim ON number_documents (claim_id) WHERE claim_id IS NOT NULL;
  `,
  `
  DROP TABLE number_documents, porting_changes, porting_requests, own_number_claims, virtual_numbers, number_changes;
  DELETE FROM numbers WHERE state <> 'assigned';
  DROP INDEX numbers_available, numbers_due;
  ALTER TABLE numbers
    DROP CONSTRAINT numbers_owner,
    DROP CONSTRAINT numbers_state_check,
    DROP COLUMN kind, DROP COLUMN source, DROP COLUMN provider, DROP COLUMN label, DROP COLUMN order_id,
    DROP COLUMN due_at, DROP COLUMN assigned_at,
    ALTER COLUMN organization_id SET NOT NULL,
    ALTER COLUMN project_id SET NOT NULL,
    ADD CONSTRAINT numbers_state_check CHECK (state IN ('assigned', 'released'));
  `,
);
