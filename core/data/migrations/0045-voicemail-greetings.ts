import { sqlMigration } from './migration.js';

/** Recordings made at the phone that become a box's greeting. */
export const voicemailGreetings = sqlMigration(
  '0045-voicemail-greetings',
  `
  ALTER TABLE recordings ADD COLUMN is_greeting boolean;
  CREATE INDEX recordings_greetings ON recordings (id) WHERE is_greeting AND status = 'available';
  `,
  `ALTER TABLE recordings DROP COLUMN is_greeting;`,
);
