import { sqlMigration } from './migration.js';

/**
 * Which messages people want, by number or address, channel and class. It does not end with a contact: a number that is
 * deleted and created again keeps its opt-outs. What contacts said of marketing so far moves here.
 */
export const consents = sqlMigration(
  '0102-consents',
  `
  CREATE TABLE consents (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    -- E.164, or an e-mail address in lower case.
    address text NOT NULL,
    channel text NOT NULL,
    class text NOT NULL,
    status text NOT NULL CHECK (status IN ('opted_in', 'opted_out')),
    source text NOT NULL,
    -- The person opted out and has not opted in again.
    is_locked boolean NOT NULL CHECK (NOT is_locked OR status = 'opted_out'),
    changed_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX consents_address ON consents (project_id, sandbox, address, channel, class);

  -- Append-only.
  CREATE TABLE consent_changes (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    address text NOT NULL,
    channel text NOT NULL,
    class text NOT NULL,
    status text NOT NULL,
    source text NOT NULL,
    proof text,
    -- The key or user; null: the person, or an import.
    recorded_by uuid,
    -- When the person said it, and when it was recorded.
    given_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL
  );
  CREATE INDEX consent_changes_address ON consent_changes (project_id, sandbox, address, id);
  CREATE TRIGGER consent_changes_immutable AFTER UPDATE OR DELETE OR TRUNCATE ON consent_changes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  INSERT INTO consents
  SELECT uuid_v7(), organization_id, project_id, sandbox, reached.address, reached.channel, 'promotional', 'opted_out',
    'api', false, updated_at
  FROM contacts
  CROSS JOIN LATERAL (VALUES ('sms', phone), ('chatapp', phone), ('email', email)) AS reached (channel, address)
  WHERE marketing_opted_out AND reached.address IS NOT NULL;
  INSERT INTO consent_changes
  SELECT uuid_v7(), organization_id, project_id, sandbox, address, channel, class, status, source, NULL, NULL, changed_at, changed_at
  FROM consents;
  ALTER TABLE contacts DROP COLUMN marketing_opted_out;
  `,
  `
  ALTER TABLE contacts ADD COLUMN marketing_opted_out boolean NOT NULL DEFAULT false;
  ALTER TABLE contacts ALTER COLUMN marketing_opted_out DROP DEFAULT;
  UPDATE contacts SET marketing_opted_out = true WHERE EXISTS (
    SELECT FROM consents WHERE consents.project_id = contacts.project_id AND consents.sandbox = contacts.sandbox
      AND consents.address IN (contacts.phone, contacts.email) AND class = 'promotional' AND status = 'opted_out');
  DROP TABLE consent_changes;
  DROP TABLE consents;
  `,
);
