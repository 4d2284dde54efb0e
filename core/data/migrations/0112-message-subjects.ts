import { sqlMigration } from './migration.js';

/** Subjects of e-mails, which may be personal data as texts are. */
export const messageSubjects = sqlMigration(
  '0112-message-subjects',
  `
  ALTER TABLE messages ADD COLUMN subject text;
  CREATE INDEX messages_submitted ON messages (channel, recipient) WHERE status = 'queued' AND claimed_at IS NOT NULL;
  `,
  `
  ALTER TABLE messages DROP COLUMN subject;
  DROP INDEX messages_submitted;
  `,
);
