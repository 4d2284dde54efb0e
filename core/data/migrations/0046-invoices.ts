import { sqlMigration } from './migration.js';

/** Monthly invoices of organizations, with gapless numbers. Amounts are millionths of a riyal. */
export const invoices = sqlMigration(
  '0046-invoices',
  `
  -- The last number of each series. The issuing transaction locks it, so that a number of a failed
  -- issue is reused.
  CREATE TABLE invoice_series (
    series text PRIMARY KEY,
    last integer NOT NULL CHECK (last >= 0)
  );
  CREATE TABLE invoices (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    number text NOT NULL UNIQUE,
    series text NOT NULL REFERENCES invoice_series,
    sequence integer NOT NULL CHECK (sequence > 0),
    -- Month in Riyadh time: YYYY-MM.
    month text NOT NULL CHECK (month ~ '^[0-9]{4}-[0-9]{2}$'),
    issued_at timestamptz(3) NOT NULL,
    -- Names at the time of issue.
    seller jsonb NOT NULL,
    buyer jsonb NOT NULL,
    -- month, project_id, project_name, kind, direction, call_kind, usage_type, quantity, seconds, exact, amount.
    lines jsonb NOT NULL,
    vat_percent integer NOT NULL CHECK (vat_percent BETWEEN 0 AND 100),
    -- The sum of the lines before rounding; the part of it covered by earlier payments.
    exact bigint NOT NULL CHECK (exact > 0),
    balance_exact bigint NOT NULL CHECK (balance_exact BETWEEN 0 AND exact),
    net bigint NOT NULL CHECK (net > 0 AND net % 10000 = 0),
    vat bigint NOT NULL CHECK (vat >= 0 AND vat % 10000 = 0),
    gross bigint NOT NULL CHECK (gross = net + vat),
    balance_net bigint NOT NULL CHECK (balance_net >= 0),
    balance_vat bigint NOT NULL CHECK (balance_vat >= 0),
    due_net bigint NOT NULL CHECK (due_net >= 0 AND due_net + balance_net = net),
    due_vat bigint NOT NULL CHECK (due_vat >= 0 AND due_vat + balance_vat = vat),
    due bigint NOT NULL CHECK (due = due_net + due_vat),
    UNIQUE (organization_id, month),
    UNIQUE (series, sequence)
  );
  CREATE INDEX invoices_organization ON invoices (organization_id, id DESC);
  CREATE TRIGGER invoices_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON invoices
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  CREATE TABLE invoice_payments (
    invoice_id uuid PRIMARY KEY REFERENCES invoices,
    payment_id uuid NOT NULL UNIQUE,
    paid_at timestamptz(3) NOT NULL
  );
  CREATE TRIGGER invoice_payments_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON invoice_payments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  CREATE INDEX usage_events_organization ON usage_events (organization_id, occurred_at);
  `,
  `
  DROP INDEX usage_events_organization;
  DROP TABLE invoice_payments, invoices, invoice_series;
  `,
);
