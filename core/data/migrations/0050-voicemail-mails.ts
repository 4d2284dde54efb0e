import { sqlMigration } from './migration.js';

/** Boxes whose messages are mailed without their audio. */
export const voicemailMails = sqlMigration(
  '0050-voicemail-mails',
  `ALTER TABLE voicemail_boxes ADD COLUMN notify_audio boolean NOT NULL DEFAULT true;`,
  `ALTER TABLE voicemail_boxes DROP COLUMN notify_audio;`,
);
