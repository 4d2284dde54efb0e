import { sqlMigration } from './migration.js';

/** Web calling: sessions with their tokens, the pages that may use them, and where engines take calls of browsers. */
export const webCalling = sqlMigration(
  '0130-web-calling',
  `
  CREATE TABLE web_calling_sessions (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    sandbox boolean NOT NULL,
    identity text NOT NULL,
    -- The extension of the agent who calls; null: nobody of the project's agents.
    agent text,
    display_name text NOT NULL,
    rights jsonb NOT NULL,
    require_relay boolean NOT NULL,
    metadata jsonb NOT NULL,
    -- SIP user name, and the sealed password.
    aor text NOT NULL,
    sip_password text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    -- When a browser first got the SIP credentials.
    connected_at timestamptz(3),
    expires_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    end_reason text CHECK (end_reason IN ('revoked', 'reused', 'agent_removed', 'expired')),
    -- Until then, the background work ends the calls of the browser.
    calls_ended_at timestamptz(3),
    CHECK ((ended_at IS NULL) = (end_reason IS NULL))
  );
  CREATE UNIQUE INDEX web_calling_sessions_aor ON web_calling_sessions (aor);
  CREATE INDEX web_calling_sessions_project ON web_calling_sessions (project_id, id);
  CREATE INDEX web_calling_sessions_open ON web_calling_sessions (expires_at) WHERE ended_at IS NULL;
  CREATE INDEX web_calling_sessions_ending ON web_calling_sessions (ended_at)
    WHERE ended_at IS NOT NULL AND calls_ended_at IS NULL;

  CREATE TABLE web_calling_tokens (
    hash text PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES web_calling_sessions ON DELETE CASCADE,
    created_at timestamptz(3) NOT NULL,
    spent_at timestamptz(3),
    -- Of the device that spent it, if that named itself.
    nonce_hash text
  );
  CREATE INDEX web_calling_tokens_session ON web_calling_tokens (session_id);

  ALTER TABLE projects ADD COLUMN allowed_origins text[] NOT NULL DEFAULT '{}';
  -- Where the engine accepts SIP over WebSocket from this platform; null: as its address says, or not at all.
  ALTER TABLE engines ADD COLUMN ws_url text;
  `,
  `
  ALTER TABLE engines DROP COLUMN ws_url;
  ALTER TABLE projects DROP COLUMN allowed_origins;
  DROP TABLE web_calling_tokens;
  DROP TABLE web_calling_sessions;
  `,
);
