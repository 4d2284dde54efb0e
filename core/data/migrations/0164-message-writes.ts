import { sqlMigration } from './migration.js';

/**
 * What each message of a broadcast wrote and nobody needed. One index has both orders of a broadcast's messages: those
 * that wait, and the numbers by outcome. Receipts of lost answers are matched with the few messages that have no outcome.
 * Only events of calls have a sequence. A project belongs to its organization, so its rows need not be checked for that.
 */
export const messageWrites = sqlMigration(
  '0164-message-writes',
  `
  DROP INDEX messages_submitted, messages_broadcast_queued, messages_broadcast;
  CREATE INDEX messages_broadcast ON messages (broadcast_id, status, broadcast_variant, error_reason)
    WHERE broadcast_variant IS NOT NULL;
  ALTER TABLE events DROP CONSTRAINT events_sequence;
  CREATE UNIQUE INDEX events_sequence ON events (call_id, sequence) WHERE call_id IS NOT NULL;
  ALTER TABLE messages DROP CONSTRAINT messages_organization_id_fkey;
  ALTER TABLE message_threads DROP CONSTRAINT message_threads_organization_id_fkey;
  `,
  `
  ALTER TABLE message_threads ADD CONSTRAINT message_threads_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (id);
  ALTER TABLE messages ADD CONSTRAINT messages_organization_id_fkey
    FOREIGN KEY (organization_id) REFERENCES organizations (id);
  DROP INDEX events_sequence;
  ALTER TABLE events ADD CONSTRAINT events_sequence UNIQUE (call_id, sequence);
  DROP INDEX messages_broadcast;
  CREATE INDEX messages_broadcast ON messages (broadcast_id, broadcast_variant, status, error_reason)
    WHERE broadcast_variant IS NOT NULL;
  CREATE INDEX messages_broadcast_queued ON messages (broadcast_id)
    WHERE broadcast_variant IS NOT NULL AND status = 'queued';
  CREATE INDEX messages_submitted ON messages (channel, recipient) WHERE status = 'queued' AND claimed_at IS NOT NULL;
  `,
);
