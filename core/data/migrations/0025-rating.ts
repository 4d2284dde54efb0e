import { sqlMigration } from './migration.js';

/** Rate plans, the cost of calls, and a double-entry ledger. Amounts are millionths of a riyal. */
export const rating = sqlMigration(
  '0025-rating',
  `
  CREATE TABLE rate_plans (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    created_at timestamptz(3) NOT NULL
  );
  -- In force from valid_from until the next version's.
  CREATE TABLE rate_plan_versions (
    id uuid PRIMARY KEY,
    plan_id uuid NOT NULL REFERENCES rate_plans,
    version integer NOT NULL CHECK (version > 0),
    valid_from timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL,
    UNIQUE (plan_id, version),
    UNIQUE (plan_id, valid_from)
  );
  CREATE TABLE rates (
    version_id uuid NOT NULL REFERENCES rate_plan_versions,
    direction text NOT NULL CHECK (direction IN ('outbound', 'inbound')),
    kind text CHECK (kind IN ('outbound', 'callback', 'inbound', 'web')),
    prefix text NOT NULL CHECK (prefix ~ '^[0-9]{0,15}$'),
    per_minute bigint NOT NULL CHECK (per_minute >= 0),
    increment_seconds integer NOT NULL CHECK (increment_seconds BETWEEN 1 AND 3600),
    minimum_seconds integer NOT NULL CHECK (minimum_seconds BETWEEN 0 AND 3600),
    UNIQUE NULLS NOT DISTINCT (version_id, direction, kind, prefix)
  );
  CREATE TRIGGER rate_plan_versions_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON rate_plan_versions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER rates_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON rates
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- How an organization pays. Without a row it is postpaid and uses the plan named "default".
  CREATE TABLE billing_profiles (
    organization_id uuid PRIMARY KEY REFERENCES organizations,
    plan_id uuid REFERENCES rate_plans,
    mode text NOT NULL CHECK (mode IN ('postpaid', 'prepaid'))
  );
  CREATE TABLE spend_caps (
    project_id uuid PRIMARY KEY REFERENCES projects,
    day bigint CHECK (day >= 0),
    month bigint CHECK (month >= 0)
  );

  CREATE TABLE ledger_accounts (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid REFERENCES projects,
    type text NOT NULL CHECK (type IN ('pool', 'project', 'revenue', 'payments')),
    balance bigint NOT NULL DEFAULT 0,
    UNIQUE NULLS NOT DISTINCT (organization_id, project_id, type),
    CHECK ((type = 'project') = (project_id IS NOT NULL))
  );
  CREATE TABLE ledger_transactions (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    kind text NOT NULL,
    -- Identifies the origin of the transaction, so that a repeat is written only once.
    reference text NOT NULL,
    note text,
    created_at timestamptz(3) NOT NULL,
    UNIQUE (kind, reference)
  );
  CREATE INDEX ledger_transactions_organization ON ledger_transactions (organization_id, id DESC);
  CREATE TABLE ledger_entries (
    transaction_id uuid NOT NULL REFERENCES ledger_transactions,
    account_id uuid NOT NULL REFERENCES ledger_accounts,
    amount bigint NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (transaction_id, account_id)
  );
  CREATE INDEX ledger_entries_account ON ledger_entries (account_id, transaction_id DESC);
  CREATE TRIGGER ledger_transactions_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transactions
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER ledger_entries_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- Each balance is the sum of its entries, updated in the same transaction. Accounts are locked in
  -- one order to avoid deadlocks.
  CREATE FUNCTION follow_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM new_entries GROUP BY transaction_id HAVING sum(amount) <> 0) THEN
      RAISE EXCEPTION 'the entries of a transaction sum up to zero' USING ERRCODE = 'check_violation';
    END IF;
    PERFORM FROM ledger_accounts WHERE id IN (SELECT account_id FROM new_entries) ORDER BY id FOR NO KEY UPDATE;
    UPDATE ledger_accounts AS account SET balance = account.balance + moved.amount
    FROM (SELECT account_id, sum(amount)::bigint AS amount FROM new_entries GROUP BY 1) AS moved
    WHERE account.id = moved.account_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries
    REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT EXECUTE FUNCTION follow_ledger();

  -- Calls with charges but without a rating; a rating job takes them once none of their legs is
  -- live.
  CREATE TABLE unrated_calls (call_id uuid PRIMARY KEY);
  CREATE FUNCTION note_unrated() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO unrated_calls SELECT DISTINCT call_id FROM new_charges WHERE NOT sandbox ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER charges_unrated AFTER INSERT ON charges
    REFERENCING NEW TABLE AS new_charges FOR EACH STATEMENT EXECUTE FUNCTION note_unrated();
  INSERT INTO unrated_calls SELECT DISTINCT call_id FROM charges WHERE NOT sandbox;

  CREATE TABLE call_ratings (
    call_id uuid PRIMARY KEY REFERENCES calls,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    -- The Riyadh day on which the call's first charge started.
    day date NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0),
    -- One per charge: charge_id, version_id, direction, kind, prefix, seconds, billed_seconds,
    -- per_minute, amount.
    lines jsonb NOT NULL,
    rated_at timestamptz(3) NOT NULL
  );
  CREATE INDEX call_ratings_project ON call_ratings (project_id, day);
  CREATE INDEX call_ratings_organization ON call_ratings (organization_id, day);
  CREATE TRIGGER call_ratings_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON call_ratings
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- A project's spend by Riyadh day.
  CREATE TABLE spent_days (
    project_id uuid NOT NULL REFERENCES projects,
    day date NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (project_id, day)
  );
  -- Thresholds that were already reported.
  CREATE TABLE spend_thresholds (
    project_id uuid NOT NULL REFERENCES projects,
    period text NOT NULL CHECK (period IN ('day', 'month')),
    starts date NOT NULL,
    percent integer NOT NULL,
    PRIMARY KEY (project_id, period, starts, percent)
  );

  -- Upper bound of what live calls can still cost: that amount cannot be spent twice.
  CREATE TABLE call_holds (
    -- Held before the call row is inserted.
    call_id uuid PRIMARY KEY,
    project_id uuid NOT NULL REFERENCES projects,
    amount bigint NOT NULL CHECK (amount >= 0),
    created_at timestamptz(3) NOT NULL
  );
  CREATE INDEX call_holds_project ON call_holds (project_id);

  -- Usage other than calls, reported to the API.
  CREATE TABLE usage_events (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    project_id uuid NOT NULL REFERENCES projects,
    event_id text NOT NULL,
    type text NOT NULL,
    quantity bigint NOT NULL CHECK (quantity > 0),
    unit_price bigint NOT NULL CHECK (unit_price >= 0),
    amount bigint NOT NULL CHECK (amount >= 0),
    occurred_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL,
    UNIQUE (project_id, event_id)
  );
  CREATE TRIGGER usage_events_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON usage_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `,
  `
  DROP TABLE usage_events, call_holds, spend_thresholds, spent_days, call_ratings;
  DROP TRIGGER charges_unrated ON charges;
  DROP FUNCTION note_unrated();
  DROP TABLE unrated_calls, ledger_entries;
  DROP FUNCTION follow_ledger();
  DROP TABLE ledger_transactions, ledger_accounts, spend_caps, billing_profiles, rates, rate_plan_versions, rate_plans;
  `,
);
