import { sqlMigration } from './migration.js';

/**
 * Numbers at a provider of the chat application, each with its credentials, and what messages have beside their text.
 * A number is a sender of its project, with the same id.
 */
export const chatapp = sqlMigration(
  '0141-chatapp',
  `
  CREATE TABLE chatapp_accounts (
    id uuid PRIMARY KEY REFERENCES message_senders (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    -- E.164.
    phone_number text NOT NULL,
    -- The provider's ids of the number, and of the account that it belongs to.
    phone_number_id text NOT NULL,
    business_account_id text NOT NULL,
    -- Sealed.
    access_token text NOT NULL,
    app_secret text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX chatapp_accounts_number ON chatapp_accounts (phone_number_id) WHERE NOT sandbox;
  CREATE INDEX chatapp_accounts_business ON chatapp_accounts (business_account_id);
  CREATE INDEX chatapp_accounts_project ON chatapp_accounts (project_id, sandbox);

  ALTER TABLE messages ADD COLUMN content jsonb;

  -- A provider may say that it sent a message whose response was lost.
  ALTER TABLE message_receipts DROP CONSTRAINT message_receipts_state_check,
    ADD CONSTRAINT message_receipts_state_check CHECK (state IN ('sent', 'delivered', 'read', 'failed'));

  CREATE INDEX message_templates_provider ON message_templates (provider_id) WHERE provider_id IS NOT NULL;
  `,
  `
  DROP INDEX message_templates_provider;
  DELETE FROM message_receipts WHERE state = 'sent';
  ALTER TABLE message_receipts DROP CONSTRAINT message_receipts_state_check,
    ADD CONSTRAINT message_receipts_state_check CHECK (state IN ('delivered', 'read', 'failed'));
  ALTER TABLE messages DROP COLUMN content;
  DROP TABLE chatapp_accounts;
  `,
);
