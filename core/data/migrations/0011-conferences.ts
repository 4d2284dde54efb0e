import { sqlMigration } from './migration.js';

/** Conferences of several calls, and their participants. */
export const conferences = sqlMigration(
  '0011-conferences',
  `
  CREATE TABLE conferences (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL,
    project_id uuid NOT NULL REFERENCES projects,
    engine_id uuid NOT NULL REFERENCES engines,
    sandbox boolean NOT NULL,
    name text NOT NULL,
    max_participants integer NOT NULL CHECK (max_participants > 0),
    created_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    emptied_at timestamptz(3),
    CHECK (emptied_at IS NULL OR ended_at IS NOT NULL)
  );
  CREATE INDEX conferences_project ON conferences (project_id, created_at DESC, id DESC);
  CREATE INDEX conferences_open ON conferences (project_id, name) WHERE ended_at IS NULL;
  CREATE INDEX conferences_unfinished ON conferences (engine_id) WHERE emptied_at IS NULL;

  CREATE TABLE conference_participants (
    id uuid PRIMARY KEY,
    conference_id uuid NOT NULL REFERENCES conferences,
    call_id uuid NOT NULL REFERENCES calls,
    leg_id uuid NOT NULL REFERENCES legs,
    leg text NOT NULL CHECK (leg IN ('customer', 'agent')),
    start_on_enter boolean NOT NULL,
    end_on_exit boolean NOT NULL,
    beep boolean NOT NULL,
    requested_by uuid,
    request_id text NOT NULL,
    joined_at timestamptz(3) NOT NULL,
    left_at timestamptz(3)
  );
  CREATE INDEX conference_participants_conference ON conference_participants (conference_id, id);
  CREATE INDEX conference_participants_call ON conference_participants (call_id);
  CREATE INDEX conference_participants_request ON conference_participants (request_id);
  `,
  `DROP TABLE conference_participants, conferences;`,
);
