import { isId } from '../../../model/ids.js';
import type { UsedItem } from '../../../model/invoice/lines.js';
import type { MicroSar } from '../../../model/money.js';
import type { Database, Queryable } from '../../database.js';
import type { InvoiceRow } from '../../rows.js';

/** An invoice with its payment status: paid from the balance at issue, or by a later payment. */
export interface StoredInvoice extends InvoiceRow {
  readonly status: InvoiceStatus;
  /** The payment that settled the invoice; null if there is none. */
  readonly payment_id: string | null;
  readonly paid_at: Date | null;
  /** The sum of its credit notes. */
  readonly credited_net: MicroSar;
  readonly credited_vat: MicroSar;
  /** The part of the due amount that credit notes have left. */
  readonly outstanding_net: MicroSar;
  readonly outstanding_vat: MicroSar;
}

export const INVOICE_STATUSES = ['due', 'paid'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export interface InvoiceFilter {
  readonly month: string | null;
  readonly status: InvoiceStatus | null;
}

/** An organization with usage up to the end of a month. */
export interface InvoiceCandidate {
  readonly id: string;
  readonly name: string;
}

const INVOICE = `
  SELECT * FROM (
    SELECT invoice.*,
      CASE WHEN invoice.due = 0 OR payment.invoice_id IS NOT NULL OR left_over.net <= 0 THEN 'paid' ELSE 'due' END AS status,
      payment.payment_id, payment.paid_at, credited.net AS credited_net, credited.vat AS credited_vat,
      greatest(0, left_over.net) AS outstanding_net,
      CASE WHEN left_over.net > 0 OR credited.net = 0 THEN invoice.due_vat - credited.vat ELSE 0 END AS outstanding_vat
    FROM invoices AS invoice
    LEFT JOIN invoice_payments AS payment ON payment.invoice_id = invoice.id
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(net), 0)::bigint AS net, coalesce(sum(vat), 0)::bigint AS vat
      FROM credit_notes WHERE invoice_id = invoice.id
    ) AS credited
    CROSS JOIN LATERAL (SELECT invoice.due_net - credited.net AS net) AS left_over
  ) AS invoice`;

/** Issued invoices with their payments, and the usage for the next ones. */
export class Invoices {
  constructor(private readonly db: Database) {}

  /**
   * @param organizationId null searches all organizations. @returns null for a malformed id, and
   * for an invoice of another organization
   */
  async get(organizationId: string | null, id: string, on: Queryable = this.db): Promise<StoredInvoice | null> {
    if (!isId(id)) return null;
    const [row] = await on.query<StoredInvoice>(
      `${INVOICE} WHERE id = $1 AND ($2::uuid IS NULL OR organization_id = $2)`,
      [id, organizationId],
    );
    return row ?? null;
  }

  async findByNumber(number: string): Promise<StoredInvoice | null> {
    const [row] = await this.db.query<StoredInvoice>(`${INVOICE} WHERE number = $1`, [number]);
    return row ?? null;
  }

  async ofMonth(organizationId: string, month: string, on: Queryable = this.db): Promise<StoredInvoice | null> {
    const [row] = await on.query<StoredInvoice>(`${INVOICE} WHERE organization_id = $1 AND month = $2`, [
      organizationId,
      month,
    ]);
    return row ?? null;
  }

  /** All invoices of the organization, oldest first. */
  issued(organizationId: string, on: Queryable = this.db): Promise<StoredInvoice[]> {
    return on.query<StoredInvoice>(`${INVOICE} WHERE organization_id = $1 ORDER BY id`, [organizationId]);
  }

  /**
   * Newest first, only those before `beforeId`. @param organizationId null lists all organizations
   */
  page(
    organizationId: string | null,
    { month, status }: InvoiceFilter,
    beforeId: string | null,
    limit: number,
  ): Promise<StoredInvoice[]> {
    return this.db.query<StoredInvoice>(
      `${INVOICE}
       WHERE ($1::uuid IS NULL OR organization_id = $1) AND ($2::text IS NULL OR month = $2)
         AND ($3::text IS NULL OR status = $3) AND ($4::uuid IS NULL OR id < $4)
       ORDER BY id DESC LIMIT $5`,
      [organizationId, month, status, beforeId, limit],
    );
  }

  /**
   * Locks the series until the end of the transaction.
   * @returns its last number, 0 if it has none yet
   */
  async lockSeries(tx: Queryable, series: string): Promise<number> {
    await tx.query(`INSERT INTO invoice_series (series, last) VALUES ($1, 0) ON CONFLICT DO NOTHING`, [series]);
    const [row] = await tx.query<{ last: number }>(`SELECT last FROM invoice_series WHERE series = $1 FOR UPDATE`, [
      series,
    ]);
    return row?.last ?? 0;
  }

  /** Uses the next number of a series that the transaction has locked. @throws Error if it is another one */
  async advanceSeries(tx: Queryable, series: string, sequence: number): Promise<void> {
    const next = await tx.query(
      `UPDATE invoice_series SET last = $2 WHERE series = $1 AND last = $2 - 1 RETURNING last`,
      [series, sequence],
    );
    if (next.length === 0) throw new Error(`${sequence} is not the next number of ${series}`);
  }

  /** Locks the invoice until the end of the transaction. */
  async lockByNumber(tx: Queryable, number: string): Promise<StoredInvoice | null> {
    await tx.query(`SELECT FROM invoices WHERE number = $1 FOR NO KEY UPDATE`, [number]);
    const [row] = await tx.query<StoredInvoice>(`${INVOICE} WHERE number = $1`, [number]);
    return row ?? null;
  }

  /** Inserts an invoice with the next number of its series, which the transaction has locked. */
  async insert(tx: Queryable, row: InvoiceRow): Promise<void> {
    await this.advanceSeries(tx, row.series, row.sequence);
    await tx.query(`INSERT INTO invoices SELECT * FROM jsonb_populate_record(NULL::invoices, $1)`, [
      JSON.stringify(row),
    ]);
  }

  /**
   * Marks the amount due as paid by this payment, in the transaction that books the money.
   * @returns false, and writes nothing, if it was already paid
   */
  async markPaid(tx: Queryable, invoiceId: string, paymentId: string, at: Date): Promise<boolean> {
    const rows = await tx.query(
      `INSERT INTO invoice_payments (invoice_id, payment_id, paid_at)
       SELECT id, $2, $3 FROM invoices WHERE id = $1 AND due > 0
       ON CONFLICT (invoice_id) DO NOTHING RETURNING invoice_id`,
      [invoiceId, paymentId, at],
    );
    return rows.length > 0;
  }

  /** Organizations with spend before this Riyadh day, oldest first. */
  candidates(before: string): Promise<InvoiceCandidate[]> {
    return this.db.query<InvoiceCandidate>(
      `SELECT organization.id, organization.name FROM organizations AS organization
       WHERE EXISTS (
         SELECT FROM projects AS project JOIN spent_days AS spent ON spent.project_id = project.id
         WHERE project.organization_id = organization.id AND spent.day < $1::date AND spent.amount > 0
       )
       ORDER BY organization.id`,
      [before],
    );
  }

  /** The organization's spend in each Riyadh month before this day. */
  spentByMonth(
    on: Queryable,
    organizationId: string,
    before: string,
  ): Promise<{ readonly month: string; readonly amount: MicroSar }[]> {
    return on.query(
      `SELECT to_char(spent.day, 'YYYY-MM') AS month, sum(spent.amount)::bigint AS amount
       FROM projects AS project JOIN spent_days AS spent ON spent.project_id = project.id
       WHERE project.organization_id = $1 AND spent.day < $2::date
       GROUP BY 1 ORDER BY 1`,
      [organizationId, before],
    );
  }

  /** The organization's charged usage in these months, summed like invoice lines. */
  used(on: Queryable, organizationId: string, months: readonly string[]): Promise<UsedItem[]> {
    return on.query<UsedItem>(USED, [organizationId, months]);
  }

  /** Number of calls that were created before this time and have no rating yet. */
  async unrated(before: Date): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(
      `SELECT count(*) FROM unrated_calls AS unrated JOIN calls AS call ON call.id = unrated.call_id WHERE call.created_at < $1`,
      [before],
    );
    return row?.count ?? 0;
  }
}

const USED = `
  WITH wanted AS (
    SELECT month, (month || '-01')::date AS first, ((month || '-01')::date + interval '1 month')::date AS after
    FROM unnest($2::text[]) AS month
  ), used AS (
    SELECT wanted.month, rating.project_id, 'calls' AS kind, line.direction, line.kind AS call_kind, NULL::text AS usage_type,
      count(*) AS quantity, sum(line.billed_seconds)::bigint AS seconds, sum(line.amount)::bigint AS exact
    FROM wanted
    JOIN rated_calls AS rating ON rating.organization_id = $1 AND rating.day >= wanted.first AND rating.day < wanted.after
    CROSS JOIN LATERAL jsonb_to_recordset(rating.lines) AS line (direction text, kind text, billed_seconds bigint, amount bigint)
    WHERE line.amount > 0
    GROUP BY 1, 2, 4, 5
    UNION ALL
    SELECT wanted.month, event.project_id, 'usage', NULL, NULL, event.type, sum(event.quantity)::bigint, NULL, sum(event.amount)::bigint
    FROM wanted
    JOIN usage_events AS event ON event.organization_id = $1
      AND event.occurred_at >= wanted.first::timestamp AT TIME ZONE 'Asia/Riyadh'
      AND event.occurred_at < wanted.after::timestamp AT TIME ZONE 'Asia/Riyadh'
    WHERE event.amount > 0
    GROUP BY 1, 2, 6
    UNION ALL
    SELECT wanted.month, fee.project_id, 'numbers', NULL, NULL, NULL, count(*), NULL, sum(fee.amount)::bigint
    FROM wanted
    JOIN number_fees AS fee ON fee.organization_id = $1 AND fee.starts_on >= wanted.first AND fee.starts_on < wanted.after
    GROUP BY 1, 2
  )
  SELECT used.*, project.name AS project_name FROM used JOIN projects AS project ON project.id = used.project_id`;
