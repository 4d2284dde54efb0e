import { sqlMigration } from './migration.js';

/**
 * Messages, the parts in which they are submitted, receipts, threads, senders, and the prices of messages in versions of
 * rate plans. Amounts are millionths of a riyal.
 */
export const messages = sqlMigration(
  '0111-messages',
  `
  CREATE TABLE message_threads (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    project_id uuid NOT NULL REFERENCES projects (id),
    sandbox boolean NOT NULL,
    channel text NOT NULL CHECK (channel IN ('chatapp', 'sms', 'webchat', 'email')),
    -- The person.
    address text NOT NULL,
    -- Who wrote to the person last: later messages without a sender use it.
    sender text,
    agent text,
    last_message_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX message_threads_person ON message_threads (project_id, channel, address, sandbox);
  CREATE INDEX message_threads_list ON message_threads (project_id, last_message_at DESC, id DESC);
  CREATE INDEX message_threads_organization ON message_threads (organization_id, address);

  CREATE TABLE messages (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    project_id uuid NOT NULL REFERENCES projects (id),
    sandbox boolean NOT NULL,
    channel text NOT NULL CHECK (channel IN ('chatapp', 'sms', 'webchat', 'email')),
    direction text NOT NULL CHECK (direction IN ('outbound', 'inbound')),
    thread_id uuid NOT NULL REFERENCES message_threads (id),
    recipient text NOT NULL,
    sender text,
    class text CHECK (class IN ('service', 'promotional', 'awareness', 'personal')),
    status text NOT NULL
      CHECK (status IN ('queued', 'sent', 'delivered', 'read', 'failed', 'cancelled', 'received')),
    -- Null once its retention is over.
    body text,
    template_name text,
    template_language text,
    segments integer NOT NULL CHECK (segments >= 0),
    -- In how many submissions.
    parts integer NOT NULL CHECK (parts >= 0),
    -- What it costs when it is sent; held from the balance until then.
    amount bigint NOT NULL CHECK (amount >= 0),
    error_reason text,
    provider_code text,
    metadata jsonb NOT NULL,
    agent text,
    created_by_key uuid,
    request_id text,
    scheduled_at timestamptz(3),
    valid_until timestamptz(3),
    -- When a process may submit it. Null: never, or one does.
    due_at timestamptz(3),
    -- When a process began to submit it.
    claimed_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    sent_at timestamptz(3),
    delivered_at timestamptz(3),
    read_at timestamptz(3),
    failed_at timestamptz(3)
  );
  CREATE INDEX messages_list ON messages (project_id, created_at DESC, id DESC);
  CREATE INDEX messages_thread ON messages (thread_id, id DESC);
  CREATE INDEX messages_due ON messages (channel, due_at) WHERE due_at IS NOT NULL AND NOT sandbox;
  CREATE INDEX messages_due_in_sandbox ON messages (due_at) WHERE due_at IS NOT NULL AND sandbox;
  CREATE INDEX messages_claimed ON messages (claimed_at) WHERE status = 'queued' AND claimed_at IS NOT NULL;
  CREATE INDEX messages_held ON messages (project_id) WHERE status = 'queued' AND amount > 0;
  CREATE INDEX messages_request ON messages (request_id) WHERE request_id IS NOT NULL;
  CREATE INDEX messages_recipient ON messages (organization_id, recipient);
  CREATE INDEX messages_sender ON messages (organization_id, sender);

  CREATE TABLE message_parts (
    message_id uuid NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    part integer NOT NULL,
    state text NOT NULL CHECK (state IN ('unknown', 'sent', 'delivered', 'read', 'failed')),
    provider text,
    provider_id text,
    PRIMARY KEY (message_id, part)
  );
  CREATE INDEX message_parts_provider ON message_parts (provider_id, provider) WHERE provider_id IS NOT NULL;

  -- Receipts that belong to no part yet: they may come before the response to their submission.
  CREATE TABLE message_receipts (
    id uuid PRIMARY KEY,
    provider text NOT NULL,
    provider_id text NOT NULL,
    state text NOT NULL CHECK (state IN ('delivered', 'read', 'failed')),
    reason text,
    provider_code text,
    recipient text,
    sender text,
    received_at timestamptz(3) NOT NULL
  );
  CREATE INDEX message_receipts_provider ON message_receipts (provider_id, provider);
  CREATE INDEX message_receipts_time ON message_receipts (received_at);

  -- Parts of incoming messages that are not complete.
  CREATE TABLE message_fragments (
    provider text NOT NULL,
    sender text NOT NULL,
    recipient text NOT NULL,
    reference integer NOT NULL,
    total integer NOT NULL,
    part integer NOT NULL,
    body text NOT NULL,
    received_at timestamptz(3) NOT NULL,
    PRIMARY KEY (provider, sender, recipient, reference, total, part)
  );
  CREATE INDEX message_fragments_time ON message_fragments (received_at);

  CREATE TABLE message_senders (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    project_id uuid NOT NULL REFERENCES projects (id),
    sandbox boolean NOT NULL,
    channel text NOT NULL CHECK (channel IN ('chatapp', 'sms', 'webchat', 'email')),
    sender text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
    rejection_reason text,
    created_by_key uuid NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    decided_at timestamptz(3)
  );
  CREATE UNIQUE INDEX message_senders_name ON message_senders (project_id, channel, lower(sender), sandbox)
    WHERE status <> 'rejected';
  CREATE INDEX message_senders_inbound ON message_senders (channel, sender) WHERE status = 'approved' AND NOT sandbox;
  CREATE INDEX message_senders_organization ON message_senders (organization_id);
  CREATE INDEX message_senders_request ON message_senders (request_id);

  CREATE TABLE message_rates (
    version_id uuid NOT NULL REFERENCES rate_plan_versions,
    channel text NOT NULL CHECK (channel IN ('chatapp', 'sms', 'webchat', 'email')),
    prefix text NOT NULL CHECK (prefix ~ '^[0-9]{0,15}$'),
    per_segment bigint NOT NULL CHECK (per_segment >= 0),
    UNIQUE (version_id, channel, prefix)
  );
  CREATE TRIGGER message_rates_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON message_rates
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `,
  `
  DROP TABLE message_rates, message_senders, message_fragments, message_receipts, message_parts, messages,
    message_threads;
  `,
);
