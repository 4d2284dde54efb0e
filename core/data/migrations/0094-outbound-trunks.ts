import { sqlMigration } from './migration.js';

/**
 * What trunks may carry and how they present callers, the routes to them, what they cost, and the calls that are about
 * to use them.
 *
 * `take_trunk_seat` decides in one statement whether a trunk has room for one more call. The lock on the trunk
 * serializes the calls that ask for it, and the count sees what was committed before it, so that processes that dial at
 * the same moment do not exceed a capacity together. A seat counts until the row of its leg is stored, which is a moment
 * later; the seat of a leg that was never stored ends after a minute.
 */
export const outboundTrunks = sqlMigration(
  '0094-outbound-trunks',
  `
  ALTER TABLE trunks
    ADD COLUMN enabled boolean NOT NULL DEFAULT true,
    ADD COLUMN registers boolean NOT NULL DEFAULT false CHECK (NOT registers OR num_nonnulls(username) = 1),
    ADD COLUMN capacity integer CHECK (capacity > 0),
    -- Null: those of the settings.
    ADD COLUMN codecs text[],
    ADD COLUMN dtmf_mode text NOT NULL DEFAULT 'auto' CHECK (dtmf_mode IN ('auto', 'rfc4733', 'info', 'inband')),
    ADD COLUMN caller_id text NOT NULL DEFAULT 'pass' CHECK (caller_id IN ('pass', 'main', 'fixed')),
    ADD COLUMN caller_id_number text
      CHECK (num_nonnulls(caller_id_number) = 1 OR (caller_id <> 'fixed' AND asserted_identity <> 'fixed')),
    ADD COLUMN asserted_identity text NOT NULL DEFAULT 'caller'
      CHECK (asserted_identity IN ('caller', 'main', 'fixed', 'none')),
    ADD COLUMN privacy boolean NOT NULL DEFAULT false,
    ADD COLUMN diversion boolean NOT NULL DEFAULT true;

  CREATE TABLE trunk_routes (
    id uuid PRIMARY KEY,
    -- Null: calls of every organization.
    organization_id uuid REFERENCES organizations,
    trunk_id uuid NOT NULL REFERENCES trunks ON DELETE CASCADE,
    -- Start of the number in E.164, without its plus.
    prefix text NOT NULL CHECK (prefix ~ '^[0-9]{0,15}$'),
    -- An object with time_zone, weekdays, from and to; null: always.
    hours jsonb,
    priority integer NOT NULL,
    weight integer NOT NULL CHECK (weight > 0),
    -- Millionths of a riyal for a minute; null: that of the trunk's rates.
    cost bigint CHECK (cost >= 0),
    created_at timestamptz(3) NOT NULL
  );
  CREATE INDEX trunk_routes_organization ON trunk_routes (organization_id) WHERE organization_id IS NOT NULL;
  CREATE INDEX trunk_routes_trunk ON trunk_routes (trunk_id);

  CREATE TABLE trunk_rates (
    trunk_id uuid NOT NULL REFERENCES trunks ON DELETE CASCADE,
    prefix text NOT NULL CHECK (prefix ~ '^[0-9]{0,15}$'),
    -- Millionths of a riyal.
    per_minute bigint NOT NULL CHECK (per_minute >= 0),
    PRIMARY KEY (prefix, trunk_id)
  );
  CREATE INDEX trunk_rates_trunk ON trunk_rates (trunk_id);

  CREATE TABLE trunk_seats (
    leg_id uuid PRIMARY KEY,
    trunk_id uuid NOT NULL REFERENCES trunks ON DELETE CASCADE,
    taken_at timestamptz(3) NOT NULL
  );
  CREATE INDEX trunk_seats_trunk ON trunk_seats (trunk_id);

  -- Finds the live calls of a trunk, and those that ended within a time.
  CREATE INDEX legs_trunk ON legs ((endpoint->>'trunkId'), ended_at) WHERE endpoint->>'type' = 'trunk';

  CREATE FUNCTION take_trunk_seat(p_leg uuid, p_trunk uuid, p_capacity integer) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM trunks WHERE id = p_trunk FOR NO KEY UPDATE;
    -- Removed a moment ago.
    IF NOT FOUND THEN RETURN false; END IF;
    DELETE FROM trunk_seats WHERE trunk_id = p_trunk AND taken_at < clock_timestamp() - interval '1 minute';
    IF p_capacity <= (
      SELECT
        (SELECT count(*) FROM legs
          WHERE endpoint->>'type' = 'trunk' AND endpoint->>'trunkId' = p_trunk::text AND ended_at IS NULL)
        + (SELECT count(*) FROM trunk_seats AS seat
          WHERE seat.trunk_id = p_trunk AND seat.leg_id <> p_leg
            AND NOT EXISTS (SELECT FROM legs WHERE legs.id = seat.leg_id))
    ) THEN
      RETURN false;
    END IF;
    INSERT INTO trunk_seats (leg_id, trunk_id, taken_at) VALUES (p_leg, p_trunk, clock_timestamp())
      ON CONFLICT (leg_id) DO UPDATE SET trunk_id = excluded.trunk_id, taken_at = excluded.taken_at;
    RETURN true;
  END $$;
  `,
  `
  DROP FUNCTION take_trunk_seat;
  DROP INDEX legs_trunk;
  DROP TABLE trunk_seats, trunk_rates, trunk_routes;
  ALTER TABLE trunks
    DROP COLUMN enabled, DROP COLUMN registers, DROP COLUMN capacity, DROP COLUMN codecs, DROP COLUMN dtmf_mode,
    DROP COLUMN caller_id, DROP COLUMN caller_id_number, DROP COLUMN asserted_identity, DROP COLUMN privacy,
    DROP COLUMN diversion;
  `,
);
