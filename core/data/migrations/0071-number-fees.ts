import { sqlMigration } from './migration.js';

/**
 * Monthly fees of numbers: their prices in versions of rate plans, and each rental of a number with the fees that it was
 * charged. Amounts are millionths of a riyal.
 */
export const numberFees = sqlMigration(
  '0071-number-fees',
  `
  CREATE TABLE number_rates (
    version_id uuid NOT NULL REFERENCES rate_plan_versions,
    kind text CHECK (kind IN ('geographic', 'mobile', 'toll_free', 'unified', 'foreign')),
    prefix text NOT NULL CHECK (prefix ~ '^[0-9]{0,15}$'),
    monthly bigint NOT NULL CHECK (monthly >= 0),
    UNIQUE NULLS NOT DISTINCT (version_id, kind, prefix)
  );
  CREATE TRIGGER number_rates_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON number_rates
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- From the assignment of a number to its release. Months are counted from the anchor, a day of
  -- Riyadh: month 0 starts with the assignment, the others at midnight.
  CREATE TABLE number_rentals (
    id uuid PRIMARY KEY,
    number_id uuid NOT NULL REFERENCES numbers,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    assigned_at timestamptz(3) NOT NULL,
    released_at timestamptz(3),
    anchor date NOT NULL,
    -- The next month to charge, and its start; null if the number was released before it.
    month integer NOT NULL CHECK (month >= 0),
    next_at timestamptz(3)
  );
  CREATE UNIQUE INDEX number_rentals_open ON number_rentals (number_id) WHERE released_at IS NULL;
  CREATE INDEX number_rentals_number ON number_rentals (number_id, id);
  CREATE INDEX number_rentals_next ON number_rentals (next_at) WHERE next_at IS NOT NULL;

  CREATE TABLE number_fees (
    id uuid PRIMARY KEY,
    rental_id uuid NOT NULL REFERENCES number_rentals,
    month integer NOT NULL,
    number_id uuid NOT NULL REFERENCES numbers,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    version_id uuid NOT NULL REFERENCES rate_plan_versions,
    -- Days of Riyadh; the last one is not included.
    starts_on date NOT NULL,
    ends_on date NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    created_at timestamptz(3) NOT NULL,
    UNIQUE (rental_id, month)
  );
  CREATE INDEX number_fees_organization ON number_fees (organization_id, starts_on);
  CREATE INDEX number_fees_project ON number_fees (project_id, id DESC);
  CREATE TRIGGER number_fees_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON number_fees
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- Every assignment and release is in the history. A customer's own number, a number of the demo and one of the
  -- sandbox are not rented.
  CREATE FUNCTION follow_rentals() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.from_state = 'assigned' THEN
      UPDATE number_rentals SET released_at = NEW.at, next_at = CASE WHEN next_at < NEW.at THEN next_at END
      WHERE number_id = NEW.number_id AND released_at IS NULL;
    END IF;
    IF NEW.to_state = 'assigned' THEN
      INSERT INTO number_rentals (id, number_id, organization_id, project_id, assigned_at, anchor, month, next_at)
      SELECT uuid_v7(), id, organization_id, project_id, NEW.at, (NEW.at AT TIME ZONE 'Asia/Riyadh')::date, 0, NEW.at
      FROM numbers WHERE id = NEW.number_id AND source NOT IN ('own', 'demo') AND NOT sandbox;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER number_changes_rentals AFTER INSERT ON number_changes FOR EACH ROW EXECUTE FUNCTION follow_rentals();

  -- Numbers that are assigned already are charged from their next month on.
  INSERT INTO number_rentals (id, number_id, organization_id, project_id, assigned_at, anchor, month, next_at)
  SELECT uuid_v7(), rented.id, rented.organization_id, rented.project_id, rented.assigned_at, rented.anchor, next.month, next.at
  FROM (
    SELECT *, (assigned_at AT TIME ZONE 'Asia/Riyadh')::date AS anchor FROM numbers
    WHERE state = 'assigned' AND source NOT IN ('own', 'demo') AND NOT sandbox AND assigned_at IS NOT NULL
  ) AS rented
  CROSS JOIN LATERAL (
    SELECT month, (rented.anchor + make_interval(months => month)) AT TIME ZONE 'Asia/Riyadh' AS at
    FROM generate_series(1, 1200) AS month
    WHERE (rented.anchor + make_interval(months => month)) AT TIME ZONE 'Asia/Riyadh' > now()
    ORDER BY month LIMIT 1
  ) AS next;
  `,
  `
  DROP TRIGGER number_changes_rentals ON number_changes;
  DROP FUNCTION follow_rentals();
  DROP TABLE number_fees, number_rentals, number_rates;
  `,
);
