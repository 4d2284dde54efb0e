import { sqlMigration } from './migration.js';

/**
 * Engines besides the one in the settings: their addresses, their capacity, and the softphones
 * registered at each.
 */
export const manyEngines = sqlMigration(
  '0012-many-engines',
  `
  ALTER TABLE engines
    ADD COLUMN managed boolean NOT NULL DEFAULT false,
    ADD COLUMN address jsonb,
    ADD COLUMN password text,
    ADD COLUMN sip_host text,
    ADD COLUMN sip_port integer,
    ADD COLUMN sip_status text CHECK (sip_status IN ('up', 'down')),
    ADD COLUMN weight integer NOT NULL DEFAULT 1 CHECK (weight > 0),
    ADD COLUMN max_calls integer CHECK (max_calls > 0),
    ADD COLUMN draining boolean NOT NULL DEFAULT false,
    ADD COLUMN removed_at timestamptz(3);

  -- Where softphones are registered, as reported by the engines' owners.
  CREATE TABLE softphone_registrations (
    aor text NOT NULL,
    engine_id uuid NOT NULL REFERENCES engines ON DELETE CASCADE,
    PRIMARY KEY (aor, engine_id)
  );
  CREATE INDEX softphone_registrations_engine ON softphone_registrations (engine_id);
  `,
  `
  DROP TABLE softphone_registrations;
  ALTER TABLE engines
    DROP COLUMN managed, DROP COLUMN address, DROP COLUMN password, DROP COLUMN sip_host, DROP COLUMN sip_port,
    DROP COLUMN sip_status, DROP COLUMN weight, DROP COLUMN max_calls, DROP COLUMN draining, DROP COLUMN removed_at;
  `,
);
