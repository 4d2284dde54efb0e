import { sqlMigration } from './migration.js';

/** Transfers of calls to another party. */
export const transfers = sqlMigration(
  '0010-transfers',
  `
  CREATE TABLE transfers (
    id uuid PRIMARY KEY,
    call_id uuid NOT NULL REFERENCES calls,
    project_id uuid NOT NULL REFERENCES projects,
    type text NOT NULL CHECK (type IN ('blind', 'attended')),
    destination jsonb NOT NULL,
    ring_timeout_seconds integer NOT NULL CHECK (ring_timeout_seconds > 0),
    status text NOT NULL CHECK (status IN ('initiated', 'ringing', 'consulting', 'completed', 'failed', 'cancelled')),
    from_leg_id uuid,
    leg_id uuid,
    agent text,
    requested_by uuid,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    CHECK ((ended_at IS NULL) = (status IN ('initiated', 'ringing', 'consulting')))
  );
  CREATE INDEX transfers_call ON transfers (call_id, id);
  CREATE INDEX transfers_request ON transfers (request_id);
  `,
  `DROP TABLE transfers;`,
);
