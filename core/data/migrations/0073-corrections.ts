import { sqlMigration } from './migration.js';

/** Moves the cost of a rated call that is written again, as 0052 does. @param costs the table or view of what calls cost */
const followCosts = (costs: string): string => `
  CREATE OR REPLACE FUNCTION follow_costs() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO usage_costs
    SELECT project_id, usage_start('hour', created_at), status, direction, kind, sandbox,
      CASE WHEN kind = 'callback' THEN queue_id END, sum(times * rating.amount)
    FROM (
      SELECT 1 AS times, id, project_id, created_at, status, direction, kind, sandbox, queue_id FROM new_calls
      UNION ALL
      SELECT -1, id, project_id, created_at, status, direction, kind, sandbox, queue_id FROM old_calls
    ) AS changed
    JOIN (SELECT call_id, amount FROM ${costs}) AS rating ON rating.call_id = changed.id
    WHERE status NOT IN ('initiated', 'ringing', 'answered')
    GROUP BY 1, 2, 3, 4, 5, 6, 7
    HAVING sum(times * rating.amount) <> 0;
    RETURN NULL;
  END $$;`;

/** Corrected costs of calls, beside their ratings, and refunds of payments. Amounts are millionths of a riyal. */
export const corrections = sqlMigration(
  '0073-corrections',
  `
  CREATE TABLE rating_corrections (
    id uuid PRIMARY KEY,
    call_id uuid NOT NULL REFERENCES call_ratings,
    -- 1, 2, ...: the highest one counts.
    sequence integer NOT NULL CHECK (sequence > 0),
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    -- The new cost with its lines, and how it differs from the one before.
    amount bigint NOT NULL CHECK (amount >= 0),
    difference bigint NOT NULL CHECK (difference <> 0),
    lines jsonb NOT NULL,
    booked_at timestamptz(3) NOT NULL,
    UNIQUE (call_id, sequence)
  );
  CREATE TRIGGER rating_corrections_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON rating_corrections
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- What each rated call costs now.
  CREATE VIEW rated_calls AS
  SELECT rating.call_id, rating.organization_id, rating.project_id, rating.day, coalesce(corrected.amount, rating.amount) AS amount,
    coalesce(corrected.lines, rating.lines) AS lines, coalesce(corrected.booked_at, rating.rated_at) AS rated_at
  FROM call_ratings AS rating
  LEFT JOIN LATERAL (
    SELECT amount, lines, booked_at FROM rating_corrections WHERE call_id = rating.call_id ORDER BY sequence DESC LIMIT 1
  ) AS corrected ON true;

  CREATE FUNCTION follow_corrections() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    -- A later change of the call would move its cost at the same moment.
    PERFORM FROM calls WHERE id IN (SELECT call_id FROM new_corrections) ORDER BY id FOR SHARE;
    INSERT INTO usage_costs
    SELECT call.project_id, usage_start('hour', call.created_at), call.status, call.direction, call.kind, call.sandbox,
      CASE WHEN call.kind = 'callback' THEN call.queue_id END, sum(correction.difference)
    FROM new_corrections AS correction JOIN calls AS call ON call.id = correction.call_id
    GROUP BY 1, 2, 3, 4, 5, 6, 7;
    RETURN NULL;
  END $$;
  CREATE TRIGGER rating_corrections_usage AFTER INSERT ON rating_corrections
    REFERENCING NEW TABLE AS new_corrections FOR EACH STATEMENT EXECUTE FUNCTION follow_corrections();

  ${followCosts('rated_calls')}

  CREATE TABLE payment_refunds (
    id uuid PRIMARY KEY,
    payment_id uuid NOT NULL REFERENCES payments,
    organization_id uuid NOT NULL REFERENCES organizations,
    -- Identifies the operator's request, so that a repeat refunds nothing more.
    reference text NOT NULL,
    reason text NOT NULL,
    -- Without tax, the tax, and both.
    amount bigint NOT NULL CHECK (amount >= 0),
    vat bigint NOT NULL CHECK (vat >= 0),
    total bigint NOT NULL CHECK (total > 0 AND total = amount + vat),
    created_at timestamptz(3) NOT NULL,
    UNIQUE (payment_id, reference)
  );
  CREATE TRIGGER payment_refunds_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_refunds
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  CREATE FUNCTION limit_refund() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (
      SELECT FROM payments AS payment
      WHERE payment.id = NEW.payment_id AND payment.status = 'succeeded'
        AND payment.paid >= (SELECT sum(total) FROM payment_refunds WHERE payment_id = payment.id)
    ) THEN
      RAISE EXCEPTION 'a payment is not refunded beyond what was paid' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER payment_refunds_limit AFTER INSERT ON payment_refunds FOR EACH ROW EXECUTE FUNCTION limit_refund();
  `,
  `
  DROP TABLE payment_refunds;
  DROP FUNCTION limit_refund();
  ${followCosts('call_ratings')}
  DROP VIEW rated_calls;
  DROP TABLE rating_corrections;
  DROP FUNCTION follow_corrections();
  `,
);
