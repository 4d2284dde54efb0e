import { sqlMigration } from './migration.js';

/** Credit notes of invoices, with gapless numbers of their own. Amounts are millionths of a riyal. */
export const creditNotes = sqlMigration(
  '0072-credit-notes',
  `
  CREATE TABLE credit_notes (
    id uuid PRIMARY KEY,
    organization_id uuid NOT NULL REFERENCES organizations,
    invoice_id uuid NOT NULL REFERENCES invoices,
    number text NOT NULL UNIQUE,
    series text NOT NULL REFERENCES invoice_series,
    sequence integer NOT NULL CHECK (sequence > 0),
    -- Identifies the operator's request, so that a repeat credits nothing more.
    reference text NOT NULL,
    reason text NOT NULL,
    issued_at timestamptz(3) NOT NULL,
    seller jsonb NOT NULL,
    buyer jsonb NOT NULL,
    -- The lines of the invoice that are credited, with their position (line) and the credited amount.
    lines jsonb NOT NULL,
    vat_percent integer NOT NULL CHECK (vat_percent BETWEEN 0 AND 100),
    net bigint NOT NULL CHECK (net > 0 AND net % 10000 = 0),
    vat bigint NOT NULL CHECK (vat >= 0 AND vat % 10000 = 0),
    gross bigint NOT NULL CHECK (gross = net + vat),
    UNIQUE (series, sequence),
    UNIQUE (invoice_id, reference)
  );
  CREATE INDEX credit_notes_organization ON credit_notes (organization_id, id DESC);
  CREATE TRIGGER credit_notes_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON credit_notes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  CREATE FUNCTION limit_credit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (
      SELECT FROM invoices AS invoice
      WHERE invoice.id = NEW.invoice_id
        AND (invoice.net, invoice.vat) <> (SELECT greatest(invoice.net, sum(net)), greatest(invoice.vat, sum(vat))
          FROM credit_notes WHERE invoice_id = invoice.id)
    ) THEN
      RAISE EXCEPTION 'an invoice is not credited beyond its amount' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER credit_notes_limit AFTER INSERT ON credit_notes FOR EACH ROW EXECUTE FUNCTION limit_credit();
  `,
  `
  DROP TABLE credit_notes;
  DROP FUNCTION limit_credit();
  `,
);
