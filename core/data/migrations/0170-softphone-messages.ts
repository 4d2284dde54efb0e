import { sqlMigration } from './migration.js';

/** Messages that the phones of softphones get, and no provider. */
export const softphoneMessages = sqlMigration(
  '0170-softphone-messages',
  `
  -- The softphone that gets it; null: a provider does.
  ALTER TABLE messages ADD COLUMN softphone text;
  CREATE INDEX messages_due_for_softphones ON messages (due_at) WHERE due_at IS NOT NULL AND softphone IS NOT NULL;
  `,
  `
  DROP INDEX messages_due_for_softphones;
  ALTER TABLE messages DROP COLUMN softphone;
  `,
);
