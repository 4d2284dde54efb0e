import { sqlMigration } from './migration.js';

/** The web addresses of messages whose clicks are counted, by the code of their short address. */
export const messageLinks = sqlMigration(
  '0158-message-links',
  `
  CREATE TABLE message_links (
    code text PRIMARY KEY,
    message_id uuid NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    url text NOT NULL,
    -- By persons.
    clicks integer NOT NULL,
    -- By programs that look ahead: previews, checks.
    previews integer NOT NULL,
    first_clicked_at timestamptz(3),
    last_clicked_at timestamptz(3)
  );
  CREATE INDEX message_links_message ON message_links (message_id);
  `,
  `DROP TABLE message_links;`,
);
