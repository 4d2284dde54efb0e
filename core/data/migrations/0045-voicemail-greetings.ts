import { sqlMigration } from './migration.js';

/** Recordings that are to be a box's greeting, spoken at the phone. */
export const voicemailGreetings = sqlMigration(
  '0045-voicemail-greetings',
  `
  ALTER TABLE recordings ADD COLUMN is_greeting boolean;
  CREATE INDEX recordings_greetings ON recordings (id) WHERE is_greeting AND status = 'available';
  `,
  `ALTER TABLE recordings DROP COLUMN is_greeting;`,
);
