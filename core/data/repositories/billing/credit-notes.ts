import { isId } from '../../../model/ids.js';
import type { Database, Queryable } from '../../database.js';
import type { CreditNoteRow } from '../../rows.js';

/** A credit note with the invoice that it credits. */
export interface StoredCreditNote extends CreditNoteRow {
  readonly invoice_number: string;
  readonly invoice_issued_at: Date;
  /** The month of the invoice, `YYYY-MM`. */
  readonly month: string;
}

const CREDIT_NOTE = `
  SELECT note.*, invoice.number AS invoice_number, invoice.issued_at AS invoice_issued_at, invoice.month
  FROM credit_notes AS note JOIN invoices AS invoice ON invoice.id = note.invoice_id`;

/** Credit notes of invoices. */
export class CreditNotes {
  constructor(private readonly db: Database) {}

  /** @returns null for a malformed id, and for a credit note of another organization */
  async get(organizationId: string, id: string): Promise<StoredCreditNote | null> {
    if (!isId(id)) return null;
    const [row] = await this.db.query<StoredCreditNote>(
      `${CREDIT_NOTE} WHERE note.id = $1 AND note.organization_id = $2`,
      [id, organizationId],
    );
    return row ?? null;
  }

  async findByNumber(number: string): Promise<StoredCreditNote | null> {
    const [row] = await this.db.query<StoredCreditNote>(`${CREDIT_NOTE} WHERE note.number = $1`, [number]);
    return row ?? null;
  }

  /**
   * Newest first, only those before `beforeId`. @param organizationId null lists all organizations
   */
  page(
    organizationId: string | null,
    invoiceId: string | null,
    beforeId: string | null,
    limit: number,
  ): Promise<StoredCreditNote[]> {
    if (invoiceId !== null && !isId(invoiceId)) return Promise.resolve([]);
    return this.db.query<StoredCreditNote>(
      `${CREDIT_NOTE}
       WHERE ($1::uuid IS NULL OR note.organization_id = $1) AND ($2::uuid IS NULL OR note.invoice_id = $2)
         AND ($3::uuid IS NULL OR note.id < $3)
       ORDER BY note.id DESC LIMIT $4`,
      [organizationId, invoiceId, beforeId, limit],
    );
  }

  /** The credit notes of an invoice, oldest first. */
  ofInvoice(invoiceId: string, on: Queryable = this.db): Promise<StoredCreditNote[]> {
    return on.query<StoredCreditNote>(`${CREDIT_NOTE} WHERE note.invoice_id = $1 ORDER BY note.id`, [invoiceId]);
  }

  /** Inserts a credit note with the next number of its series, which the transaction has locked. */
  async insert(tx: Queryable, row: CreditNoteRow): Promise<void> {
    await tx.query(`INSERT INTO credit_notes SELECT * FROM jsonb_populate_record(NULL::credit_notes, $1)`, [
      JSON.stringify(row),
    ]);
  }
}
