import { sqlMigration } from './migration.js';

/**
 * The administrators of the installation with their sessions and script tokens, and the audit log as an append-only
 * chain: a sealer numbers the rows and stores in each a keyed hash of it and of the row before. `audit_chain` has one row
 * once something was sealed: the two ends of the chain.
 */
export const administration = sqlMigration(
  '0086-administration',
  `
  CREATE TABLE administrators (
    id uuid PRIMARY KEY,
    -- In lower case.
    email text NOT NULL CONSTRAINT administrators_email UNIQUE,
    name text NOT NULL,
    password_hash text NOT NULL,
    -- Sealed; null: no second factor.
    totp_secret text,
    -- Sealed; becomes totp_secret once a code of it was given.
    totp_offered text,
    -- The newest time step whose code was used: each code works once.
    totp_step integer,
    disabled_at timestamptz(3),
    last_sign_in_at timestamptz(3),
    created_at timestamptz(3) NOT NULL
  );

  CREATE TABLE administrator_tokens (
    id uuid PRIMARY KEY,
    administrator_id uuid NOT NULL REFERENCES administrators ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('session', 'script')),
    -- Null for a session.
    name text,
    -- The visible first characters of the token.
    prefix text NOT NULL,
    hash text NOT NULL CONSTRAINT administrator_tokens_hash UNIQUE,
    ip text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    last_used_at timestamptz(3) NOT NULL,
    -- Null: never.
    expires_at timestamptz(3),
    revoked_at timestamptz(3)
  );
  CREATE INDEX administrator_tokens_owner ON administrator_tokens (administrator_id, id);

  ALTER TABLE audit_log
    ADD COLUMN user_id uuid,
    ADD COLUMN administrator_id uuid,
    ADD COLUMN actor text,
    ADD COLUMN chain_sequence bigint,
    ADD COLUMN chain_hash text;
  CREATE UNIQUE INDEX audit_log_chain ON audit_log (chain_sequence) WHERE chain_sequence IS NOT NULL;
  CREATE INDEX audit_log_unsealed ON audit_log (id) WHERE chain_sequence IS NULL;
  CREATE INDEX audit_log_organization ON audit_log (organization_id, id DESC);

  CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (id DESC) WHERE status = 'dead';

  CREATE TABLE audit_chain (
    id boolean PRIMARY KEY DEFAULT true CHECK (id),
    head_sequence bigint NOT NULL,
    head_hash text NOT NULL,
    -- The newest row that retention deleted.
    pruned_sequence bigint NOT NULL,
    pruned_hash text NOT NULL,
    pruned_at timestamptz(3),
    mac text NOT NULL
  );

  CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    unsealed audit_log;
  BEGIN
    IF TG_OP = 'UPDATE' AND OLD.chain_sequence IS NULL THEN
      unsealed := NEW;
      unsealed.chain_sequence := NULL;
      unsealed.chain_hash := NULL;
      IF unsealed IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
    ELSIF TG_OP = 'DELETE' AND current_setting('hatif.audit_retention', true) = 'on' THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
  END $$;
  CREATE TRIGGER audit_log_rows BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION keep_audit_log();
  CREATE TRIGGER audit_log_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();
  `,
  `
  DROP TRIGGER audit_log_truncate ON audit_log;
  DROP TRIGGER audit_log_rows ON audit_log;
  DROP FUNCTION keep_audit_log;
  DROP TABLE audit_chain;
  DROP INDEX webhook_deliveries_dead;
  DROP INDEX audit_log_organization, audit_log_unsealed, audit_log_chain;
  ALTER TABLE audit_log
    DROP COLUMN chain_hash, DROP COLUMN chain_sequence, DROP COLUMN actor, DROP COLUMN administrator_id, DROP COLUMN user_id;
  DROP TABLE administrator_tokens;
  DROP TABLE administrators;
  `,
);
