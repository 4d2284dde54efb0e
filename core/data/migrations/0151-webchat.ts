import { sqlMigration } from './migration.js';

/** Chats of visitors of web pages. The visitor is the address of a conversation, which begins with the first message. */
export const webchat = sqlMigration(
  '0151-webchat',
  `
  ALTER TABLE widgets ADD COLUMN chat boolean NOT NULL DEFAULT false;

  CREATE TABLE webchats (
    -- The visitor.
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    project_id uuid NOT NULL REFERENCES projects (id),
    sandbox boolean NOT NULL,
    widget_id uuid NOT NULL REFERENCES widgets (id),
    -- Null until the visitor has written.
    thread_id uuid REFERENCES message_threads (id) ON DELETE CASCADE,
    visitor_name text,
    language text NOT NULL CHECK (language IN ('ar', 'en')),
    status text NOT NULL CHECK (status IN ('new', 'waiting', 'offered', 'assigned', 'closed')),
    -- The queue whose agents it is offered to; null: it is offered to nobody.
    queue_id uuid,
    -- Agents who did not accept it, since it waits.
    declined_by text[] NOT NULL DEFAULT '{}',
    waiting_since timestamptz(3),
    offered_until timestamptz(3),
    assigned_at timestamptz(3),
    closed_at timestamptz(3),
    -- When the last message was exchanged, or the visitor came.
    active_at timestamptz(3) NOT NULL,
    -- Until then the visitor's token is valid.
    expires_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX webchats_thread ON webchats (thread_id) WHERE thread_id IS NOT NULL;
  CREATE INDEX webchats_organization ON webchats (organization_id);
  CREATE INDEX webchats_open ON webchats (project_id, waiting_since) WHERE status IN ('waiting', 'offered', 'assigned');
  CREATE INDEX messages_sent_to_visitors ON messages (valid_until) WHERE channel = 'webchat' AND status = 'sent';
  CREATE INDEX webchats_empty ON webchats (expires_at) WHERE thread_id IS NULL;
  `,
  `
  DROP INDEX messages_sent_to_visitors;
  DROP TABLE webchats;
  ALTER TABLE widgets DROP COLUMN chat;
  `,
);
