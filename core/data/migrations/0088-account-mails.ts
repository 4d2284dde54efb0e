import { sqlMigration } from './migration.js';

/**
 * Mails to people wait in the same table as mails to the owners of organizations. It keeps its name: the previous release
 * reads it during an upgrade.
 */
export const accountMails = sqlMigration(
  '0088-account-mails',
  `
  ALTER TABLE owner_mails DROP CONSTRAINT owner_mails_kind_check;
  ALTER TABLE owner_mails
    ALTER COLUMN organization_id DROP NOT NULL,
    ALTER COLUMN project_id DROP NOT NULL,
    -- Both null for a mail to the owner, which goes to the address that the organization has when it is sent.
    ADD COLUMN recipient text,
    ADD COLUMN locale text CHECK (locale IN ('ar', 'en')),
    ADD CONSTRAINT owner_mails_kind CHECK (CASE
      WHEN recipient IS NULL THEN kind IN ('webhook_disabled', 'fraud_blocked')
        AND organization_id IS NOT NULL AND project_id IS NOT NULL AND locale IS NULL
      ELSE kind IN ('confirm_email', 'reset_password', 'invite', 'new_device', 'session_reuse', 'password_changed',
          'second_factor_changed', 'owner_created', 'production_decided', 'email_changed')
        AND organization_id IS NULL AND project_id IS NULL AND locale IS NOT NULL
    END);
  `,
  `
  DELETE FROM owner_mails WHERE recipient IS NOT NULL;
  ALTER TABLE owner_mails DROP CONSTRAINT owner_mails_kind, DROP COLUMN recipient, DROP COLUMN locale,
    ALTER COLUMN organization_id SET NOT NULL,
    ALTER COLUMN project_id SET NOT NULL,
    ADD CONSTRAINT owner_mails_kind_check CHECK (kind IN ('webhook_disabled', 'fraud_blocked'));
  `,
);
