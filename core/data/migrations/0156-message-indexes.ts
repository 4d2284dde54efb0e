import { sqlMigration } from './migration.js';

/**
 * Each message changes its row three times, and each change writes every index. What is looked up of an organization is
 * found by the other index, of recipients. Parts of messages change in place.
 */
export const messageIndexes = sqlMigration(
  '0156-message-indexes',
  `
  DROP INDEX messages_sender;
  ALTER TABLE message_parts SET (fillfactor = 80);
  `,
  `
  ALTER TABLE message_parts RESET (fillfactor);
  CREATE INDEX messages_sender ON messages (organization_id, sender);
  `,
);
