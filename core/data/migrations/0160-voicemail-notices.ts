import { sqlMigration } from './migration.js';

/** Boxes whose new messages are announced by a message, over SMS or the chat application. */
export const voicemailNotices = sqlMigration(
  '0160-voicemail-notices',
  `
  ALTER TABLE voicemail_boxes ADD COLUMN notify_message jsonb;
  ALTER TABLE voicemails
    -- When a process began to announce it, and when that was done.
    ADD COLUMN notice_tried_at timestamptz(3),
    ADD COLUMN noticed_at timestamptz(3);
  CREATE INDEX voicemails_unnoticed ON voicemails (created_at) WHERE noticed_at IS NULL;
  `,
  `
  ALTER TABLE voicemails DROP COLUMN notice_tried_at, DROP COLUMN noticed_at;
  ALTER TABLE voicemail_boxes DROP COLUMN notify_message;
  `,
);
