import { sqlMigration } from './migration.js';

/** Calls, their legs, their charges and their timeline. */
export const calls = sqlMigration(
  '0003-calls',
  `
  CREATE TABLE calls (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    project_id uuid NOT NULL REFERENCES projects,
    engine_id uuid NOT NULL REFERENCES engines,
    epoch bigint NOT NULL,
    sandbox boolean NOT NULL,
    kind text NOT NULL CHECK (kind IN ('outbound', 'callback', 'inbound', 'web')),
    direction text NOT NULL CHECK (direction IN ('outbound', 'inbound')),
    status text NOT NULL CHECK (status IN
      ('initiated', 'ringing', 'answered', 'ended', 'missed', 'failed', 'cancelled', 'timeout')),
    customer_number text NOT NULL,
    line_number text,
    caller_id_number text,
    caller_id_name text,
    queue_id uuid,
    served_queue_id uuid,
    agent text,
    callflow_id uuid,
    conference_id uuid,
    on_hold boolean NOT NULL,
    muted boolean NOT NULL,
    recording boolean NOT NULL,
    recording_available boolean NOT NULL,
    disposition text CHECK (disposition IN
      ('answered', 'no_answer', 'busy', 'rejected', 'invalid_number', 'congestion', 'cancelled', 'queue_timeout',
       'queue_abandoned', 'failed')),
    hangup_q850 integer,
    hangup_sip_code integer,
    hangup_text text,
    queued_seconds integer,
    metadata jsonb NOT NULL,
    webhook_url text,
    program jsonb NOT NULL,
    options jsonb NOT NULL,
    last_sequence integer NOT NULL CHECK (last_sequence >= 0),
    created_by_key uuid,
    request_id text,
    created_at timestamptz(3) NOT NULL,
    originating_at timestamptz(3),
    ringing_at timestamptz(3),
    answered_at timestamptz(3),
    ended_at timestamptz(3)
  ) WITH (fillfactor = 80);
  CREATE INDEX calls_project ON calls (project_id, created_at DESC, id DESC);
  CREATE INDEX calls_project_status ON calls (project_id, status, created_at DESC, id DESC);
  CREATE INDEX calls_project_kind ON calls (project_id, kind, created_at DESC, id DESC);
  CREATE INDEX calls_project_direction ON calls (project_id, direction, created_at DESC, id DESC);
  CREATE INDEX calls_project_queue ON calls (project_id, queue_id, created_at DESC, id DESC)
    WHERE queue_id IS NOT NULL;
  CREATE INDEX calls_project_callflow ON calls (project_id, callflow_id, created_at DESC, id DESC)
    WHERE callflow_id IS NOT NULL;
  CREATE INDEX calls_project_sandbox ON calls (project_id, created_at DESC, id DESC) WHERE sandbox;
  CREATE INDEX calls_organization_callbacks ON calls (organization_id, created_at DESC, id DESC)
    WHERE kind = 'callback';
  CREATE INDEX calls_unfinished ON calls (engine_id)
    WHERE status IN ('initiated', 'ringing', 'answered');

  CREATE TABLE legs (
    id uuid PRIMARY KEY,
    call_id uuid NOT NULL REFERENCES calls,
    role text NOT NULL CHECK (role IN ('customer', 'agent', 'transfer')),
    endpoint jsonb NOT NULL,
    number text,
    billable boolean NOT NULL,
    status text NOT NULL CHECK (status IN ('created', 'ringing', 'answered', 'ended')),
    on_hold boolean NOT NULL,
    muted boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    ringing_at timestamptz(3),
    answered_at timestamptz(3),
    ended_at timestamptz(3),
    hangup_q850 integer,
    hangup_sip_code integer,
    hangup_text text
  ) WITH (fillfactor = 60);
  CREATE INDEX legs_call ON legs (call_id, id);
  CREATE INDEX legs_live ON legs (call_id) WHERE status <> 'ended';

  CREATE TABLE charges (
    id uuid PRIMARY KEY,
    leg_id uuid NOT NULL CONSTRAINT charges_leg UNIQUE REFERENCES legs,
    call_id uuid NOT NULL REFERENCES calls,
    project_id uuid NOT NULL,
    sandbox boolean NOT NULL,
    direction text NOT NULL CHECK (direction IN ('outbound', 'inbound')),
    kind text NOT NULL CHECK (kind IN ('outbound', 'callback', 'inbound', 'web')),
    number text,
    started_at timestamptz(3) NOT NULL,
    seconds integer NOT NULL CHECK (seconds >= 0),
    created_at timestamptz(3) NOT NULL
  );
  CREATE INDEX charges_project ON charges (project_id, started_at);

  CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'rows of % are never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER charges_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON charges
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  CREATE TABLE call_timeline (
    id uuid PRIMARY KEY,
    call_id uuid NOT NULL REFERENCES calls,
    at timestamptz(3) NOT NULL,
    type text NOT NULL,
    data jsonb NOT NULL
  );
  CREATE INDEX call_timeline_call ON call_timeline (call_id, at, id);
  `,
  `
  DROP TABLE call_timeline, charges, legs, calls;
  DROP FUNCTION refuse_change();
  `,
);
