import { sqlMigration } from './migration.js';

/** The address of each organization's owner, and mails that are to be sent there. */
export const ownerMails = sqlMigration(
  '0069-owner-mails',
  `
  ALTER TABLE organizations ADD COLUMN contact_email text;

  CREATE TABLE owner_mails (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    kind text NOT NULL CHECK (kind IN ('webhook_disabled')),
    data jsonb NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL
  );
  CREATE INDEX owner_mails_due ON owner_mails (due_at);
  `,
  `
  DROP TABLE owner_mails;
  ALTER TABLE organizations DROP COLUMN contact_email;
  `,
);
