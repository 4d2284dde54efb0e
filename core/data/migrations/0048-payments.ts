import { sqlMigration } from './migration.js';

/**
 * Payments of customers, and the ledger account for the tax paid with them. Amounts are millionths
 * of a riyal.
 */
export const payments = sqlMigration(
  '0048-payments',
  `
  CREATE TABLE payments (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    -- The project whose key opened the payment; its webhooks are notified.
    project_id uuid NOT NULL REFERENCES projects,
    created_by_key uuid NOT NULL,
    request_id text NOT NULL,
    method text NOT NULL CHECK (method IN ('bank_transfer', 'gateway')),
    status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'expired', 'cancelled')),
    -- The invoice being paid; null for a top-up of the pool.
    invoice_id uuid REFERENCES invoices,
    reference text NOT NULL UNIQUE,
    -- The amount credited to the pool; the customer pays the tax on top.
    amount bigint NOT NULL CHECK (amount >= 0),
    vat bigint NOT NULL CHECK (vat >= 0 AND amount + vat > 0),
    -- The amount received, as reported by the gateway or the operator; booked only if it equals
    -- amount plus tax.
    paid bigint CHECK (paid > 0),
    error_code text CHECK (error_code IN ('PAYMENT_FAILED', 'PAYMENT_AMOUNT_MISMATCH')),
    reason text,
    return_url text,
    checkout_url text,
    -- Reference given by the gateway or the bank.
    provider_reference text,
    -- Number of polls, and the time of the next one; null if no poll is needed.
    checks integer NOT NULL DEFAULT 0,
    next_check_at timestamptz(3),
    expires_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    CHECK ((status = 'pending') = (ended_at IS NULL)),
    CHECK (status <> 'succeeded' OR paid = amount + vat)
  );
  CREATE INDEX payments_organization ON payments (organization_id, id DESC);
  -- Prevents paying one invoice twice by mistake.
  CREATE UNIQUE INDEX payments_invoice ON payments (invoice_id) WHERE status = 'pending';
  CREATE INDEX payments_request ON payments (request_id);
  CREATE INDEX payments_next_check ON payments (next_check_at) WHERE next_check_at IS NOT NULL;

  ALTER TABLE ledger_accounts
    DROP CONSTRAINT ledger_accounts_type_check,
    ADD CONSTRAINT ledger_accounts_type_check CHECK (type IN ('pool', 'project', 'revenue', 'payments', 'vat'));
  `,
  `
  DROP TABLE payments;
  ALTER TABLE ledger_accounts
    DROP CONSTRAINT ledger_accounts_type_check,
    ADD CONSTRAINT ledger_accounts_type_check CHECK (type IN ('pool', 'project', 'revenue', 'payments'));
  `,
);
