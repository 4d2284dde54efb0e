import { sqlMigration } from './migration.js';

/**
 * Further channels of messages, and messages that the platform sends for itself: those carry codes, so their texts are
 * sealed, they belong to no conversation, and nobody sees them.
 */
export const messageFallback = sqlMigration(
  '0142-message-fallback',
  `
  ALTER TABLE messages
    ADD COLUMN fallback jsonb,
    -- When the next channel is tried. Null: never, or not any more.
    ADD COLUMN fallback_at timestamptz(3),
    -- The first message of the chain.
    ADD COLUMN fallback_of uuid,
    ADD COLUMN is_system boolean,
    ALTER COLUMN thread_id DROP NOT NULL,
    ADD CONSTRAINT messages_thread CHECK ((is_system IS TRUE) = (thread_id IS NULL));
  CREATE INDEX messages_fallback_due ON messages (fallback_at) WHERE fallback_at IS NOT NULL;
  -- However often a process dies: one message for each channel of a chain.
  CREATE UNIQUE INDEX messages_fallback_of ON messages (fallback_of, channel) WHERE fallback_of IS NOT NULL;

  -- The message that carries the code.
  ALTER TABLE verification_attempts ADD COLUMN message_id uuid;
  `,
  `
  ALTER TABLE verification_attempts DROP COLUMN message_id;
  DELETE FROM messages WHERE is_system IS TRUE;
  ALTER TABLE messages
    DROP CONSTRAINT messages_thread, ALTER COLUMN thread_id SET NOT NULL,
    DROP COLUMN fallback, DROP COLUMN fallback_at, DROP COLUMN fallback_of, DROP COLUMN is_system;
  `,
);
