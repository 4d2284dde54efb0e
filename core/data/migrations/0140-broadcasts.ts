import { sqlMigration } from './migration.js';

/** Broadcasts, their recipients, and which messages belong to them. */
export const broadcasts = sqlMigration(
  '0140-broadcasts',
  `
  CREATE TABLE broadcasts (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations (id),
    project_id uuid NOT NULL REFERENCES projects (id),
    sandbox boolean NOT NULL,
    name text NOT NULL,
    channel text NOT NULL CHECK (channel IN ('chatapp', 'sms', 'webchat', 'email')),
    status text NOT NULL CHECK (status IN ('draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled')),
    problem text,
    sender text,
    class text NOT NULL CHECK (class IN ('service', 'promotional', 'awareness', 'personal')),
    -- With the texts of their templates, once it is started.
    variants jsonb NOT NULL,
    source text NOT NULL CHECK (source IN ('group', 'file')),
    group_id uuid REFERENCES contact_groups ON DELETE SET NULL,
    file_name text,
    scheduled_at timestamptz(3),
    local_time text,
    rate_per_minute integer CHECK (rate_per_minute > 0),
    metadata jsonb NOT NULL,
    total integer NOT NULL,
    prepared_after uuid,
    prepared_at timestamptz(3),
    paced_until timestamptz(3),
    due_at timestamptz(3),
    attempts integer NOT NULL,
    accepted_at timestamptz(3),
    reported_at timestamptz(3),
    reported text,
    created_by_key uuid NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    started_at timestamptz(3),
    finished_at timestamptz(3)
  );
  CREATE INDEX broadcasts_page ON broadcasts (project_id, id);
  CREATE INDEX broadcasts_due ON broadcasts (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX broadcasts_group ON broadcasts (group_id) WHERE group_id IS NOT NULL;
  CREATE INDEX broadcasts_organization ON broadcasts (organization_id);
  CREATE INDEX broadcasts_request ON broadcasts (request_id);
  CREATE INDEX broadcasts_finished ON broadcasts (finished_at) WHERE finished_at IS NOT NULL;

  CREATE TABLE broadcast_recipients (
    id uuid PRIMARY KEY,
    broadcast_id uuid NOT NULL REFERENCES broadcasts ON DELETE CASCADE,
    number integer NOT NULL,
    address text,
    contact_id uuid,
    time_zone text,
    -- What the variables of the broadcast need.
    fields jsonb NOT NULL,
    status text NOT NULL CHECK (status IN ('waiting', 'accepted', 'skipped')),
    skip_reason text CHECK ((skip_reason IS NOT NULL) = (status = 'skipped')),
    message_id uuid CHECK ((message_id IS NOT NULL) = (status = 'accepted')),
    attempts integer NOT NULL,
    due_at timestamptz(3) NOT NULL
  );
  CREATE UNIQUE INDEX broadcast_recipients_number ON broadcast_recipients (broadcast_id, number);
  -- Nobody gets a broadcast twice.
  CREATE UNIQUE INDEX broadcast_recipients_address ON broadcast_recipients (address, broadcast_id)
    WHERE address IS NOT NULL;
  CREATE INDEX broadcast_recipients_due ON broadcast_recipients (broadcast_id, due_at, number)
    WHERE status = 'waiting';
  CREATE INDEX broadcast_recipients_skipped ON broadcast_recipients (broadcast_id, skip_reason)
    WHERE status = 'skipped';

  ALTER TABLE messages ADD COLUMN broadcast_id uuid, ADD COLUMN broadcast_variant smallint;
  CREATE INDEX messages_broadcast ON messages (broadcast_id, broadcast_variant, status, error_reason)
    WHERE broadcast_variant IS NOT NULL;
  CREATE INDEX messages_broadcast_queued ON messages (broadcast_id)
    WHERE broadcast_variant IS NOT NULL AND status = 'queued';
  -- Messages of broadcasts do not delay others.
  DROP INDEX messages_due;
  CREATE INDEX messages_due ON messages (channel, due_at)
    WHERE due_at IS NOT NULL AND NOT sandbox AND broadcast_id IS NULL;
  CREATE INDEX messages_due_of_broadcasts ON messages (channel, due_at)
    WHERE due_at IS NOT NULL AND NOT sandbox AND broadcast_id IS NOT NULL;
  `,
  `
  DROP INDEX messages_due, messages_due_of_broadcasts, messages_broadcast, messages_broadcast_queued;
  CREATE INDEX messages_due ON messages (channel, due_at) WHERE due_at IS NOT NULL AND NOT sandbox;
  ALTER TABLE messages DROP COLUMN broadcast_id, DROP COLUMN broadcast_variant;
  DROP TABLE broadcast_recipients, broadcasts;
  `,
);
