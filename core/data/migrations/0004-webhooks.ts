import { sqlMigration } from './migration.js';

/** Events (the outbox), webhook endpoints, and deliveries. */
export const webhooks = sqlMigration(
  '0004-webhooks',
  `
  -- UUID v7 (RFC 9562 §5.7) for rows that statements create themselves, so that they sort with
  -- ours: the 12 bits after the milliseconds hold the fraction of the millisecond (§6.2, method 3).
  -- PostgreSQL has a built-in function only from version 18.
  CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    SELECT encode(
      overlay(uuid_send(gen_random_uuid()) PLACING int8send(
        (micros / 1000 << 16) | (7 << 12) | (micros % 1000 * 4096 / 1000)) FROM 1 FOR 8),
      'hex')::uuid
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros) AS clock
  $$;

  CREATE TABLE events (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    project_id uuid NOT NULL,
    call_id uuid REFERENCES calls,
    sequence integer CHECK (sequence > 0),
    type text NOT NULL,
    data jsonb NOT NULL,
    sandbox boolean NOT NULL,
    recovered boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT events_sequence UNIQUE (call_id, sequence),
    CHECK ((call_id IS NULL) = (sequence IS NULL))
  );
  CREATE INDEX events_project ON events (project_id, id);

  CREATE TABLE webhook_endpoints (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects,
    url text NOT NULL,
    events text[] NOT NULL CHECK (cardinality(events) > 0),
    description text,
    secret text NOT NULL,
    previous_secret text,
    previous_secret_expires_at timestamptz(3),
    status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
    disabled_reason text,
    failing_since timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT webhook_endpoints_url UNIQUE (project_id, url)
  );

  CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY,
    event_id uuid NOT NULL REFERENCES events,
    endpoint_id uuid REFERENCES webhook_endpoints ON DELETE CASCADE,
    lane text NOT NULL,
    url text,
    project_id uuid NOT NULL,
    call_id uuid,
    sequence integer,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz(3) NOT NULL,
    locked_until timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    delivered_at timestamptz(3),
    last_error text,
    CHECK ((endpoint_id IS NULL) <> (url IS NULL))
  ) WITH (fillfactor = 50);
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (lane, next_attempt_at) WHERE status = 'pending';
  CREATE INDEX webhook_deliveries_order ON webhook_deliveries (lane, call_id, sequence) WHERE status = 'pending';
  CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, id DESC);
  CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);

  CREATE TABLE webhook_attempts (
    id uuid PRIMARY KEY,
    delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    at timestamptz(3) NOT NULL,
    status_code integer,
    error text,
    duration_ms integer NOT NULL CHECK (duration_ms >= 0)
  );
  CREATE INDEX webhook_attempts_delivery ON webhook_attempts (delivery_id, at);
  `,
  `
  DROP TABLE webhook_attempts, webhook_deliveries, webhook_endpoints, events;
  DROP FUNCTION uuid_v7();
  `,
);
