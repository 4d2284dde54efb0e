import { sqlMigration } from './migration.js';

/** Which agents are there to answer chats, which chats have lost their agent, and which messages nobody has read. */
export const chatAttendance = sqlMigration(
  '0173-chat-attendance',
  `
  -- The pages with which agents follow their chats, by the session that opened them.
  CREATE TABLE chat_attendance (
    project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    agent text NOT NULL,
    session_id uuid NOT NULL,
    seen_at timestamptz(3) NOT NULL,
    PRIMARY KEY (project_id, agent, session_id)
  );

  ALTER TABLE webchats
    -- Whether the agent took it from an offer of its queue. Null: no.
    ADD COLUMN from_offer boolean,
    -- Since when the agent who had it is away. Null: nobody had it, or an agent is there.
    ADD COLUMN left_at timestamptz(3);

  CREATE INDEX messages_unread ON messages (thread_id) WHERE direction = 'inbound' AND read_at IS NULL;
  `,
  `
  DROP INDEX messages_unread;
  ALTER TABLE webchats DROP COLUMN left_at, DROP COLUMN from_offer;
  DROP TABLE chat_attendance;
  `,
);
