import type { Database, Queryable } from '../../data/database.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { CreditNotes, StoredCreditNote } from '../../data/repositories/billing/credit-notes.js';
import type { Invoices, StoredInvoice } from '../../data/repositories/billing/invoices.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { CreditNoteRow } from '../../data/rows.js';
import { HatifError } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { creditOf, type Credit, type CreditRequest } from '../../model/invoice/credit.js';
import { formatSar, sarNumber } from '../../model/money.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import { operatorAudit, type AskedBy } from '../access/operator-audit.js';
import { documentNumber } from './numbering.js';
import { recordForProjects } from './project-events.js';

export interface CreditInvoicesOptions {
  readonly db: Database;
  readonly invoices: Invoices;
  readonly creditNotes: CreditNotes;
  readonly ledger: Ledger;
  /** Prefix of the numbers of credit notes, before the year. */
  readonly prefix: string;
  readonly clock: Clock;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

export interface NewCreditNote extends CreditRequest {
  /** The number of the invoice. */
  readonly invoice: string;
  /** Chosen by the operator: each reference credits an invoice once. */
  readonly reference: string;
  /** Printed on the credit note. */
  readonly reason: string;
}

/**
 * Issues credit notes. A credit note, its number, the money that returns to the pool, the audit row of a command and the
 * events are one transaction: nothing is credited twice, and no number is missing.
 */
export class CreditInvoices {
  constructor(private readonly options: CreditInvoicesOptions) {}

  /**
   * @returns the credit note, and whether it is new: a repeated reference returns the first one
   * @throws HatifError INVOICE_NOT_FOUND, VALIDATION_ERROR if more is asked for than is left to credit
   */
  async issue(
    wanted: NewCreditNote,
    by: AskedBy = 'command',
  ): Promise<{ readonly note: StoredCreditNote; readonly isNew: boolean }> {
    const { db, invoices, creditNotes, clock, prefix, wake } = this.options;
    const { lanes, ...issued } = await db.transaction(async (tx) => {
      const issuedAt = clock.now();
      const series = `${prefix}-${riyadhDay(issuedAt).slice(0, 4)}-`;
      // Concurrent credits wait here. After the locks this transaction sees theirs, and the next number is unique.
      const last = await invoices.lockSeries(tx, series);
      const invoice = await invoices.lockByNumber(tx, wanted.invoice);
      if (!invoice) throw new HatifError('INVOICE_NOT_FOUND', { id: wanted.invoice });
      const credited = await creditNotes.ofInvoice(invoice.id, tx);
      const known = credited.find(({ reference }) => reference === wanted.reference);
      if (known) return { note: known, isNew: false, lanes: [] };
      const credit = creditOf({ ...invoice, credited }, wanted);
      const row = rowOf(invoice, credit, wanted, { series, sequence: last + 1, issuedAt });
      await invoices.advanceSeries(tx, series, row.sequence);
      await creditNotes.insert(tx, row);
      await this.#book(tx, row, by);
      const { number: invoice_number, issued_at: invoice_issued_at, month } = invoice;
      const note: StoredCreditNote = { ...row, invoice_number, invoice_issued_at, month };
      return { note, isNew: true, lanes: await recordIssued(tx, invoice, note) };
    });
    if (lanes.length > 0) wake(lanes);
    return issued;
  }

  /** The credited amount is money of the customer again; its VAT was paid, or is no longer due. */
  async #book(
    tx: Queryable,
    { id, organization_id, number, invoice_id, net, gross, reason }: CreditNoteRow,
    by: AskedBy,
  ): Promise<void> {
    const { ledger, clock } = this.options;
    const entries = [
      { type: 'pool', projectId: null, amount: net },
      { type: 'revenue', projectId: null, amount: -net },
    ] as const;
    const posting = { organizationId: organization_id, kind: 'credit_note', reference: id, note: number, entries };
    await ledger.post(tx, [posting], clock.now());
    if (by === 'request') return;
    const details = { invoice_id, credit_note: number, total_sar: formatSar(gross), reason };
    const path = `/v1/invoices/${invoice_id}`;
    await insertAuditRows(tx, [operatorAudit(organization_id, path, 'hatif invoice credit', details, clock.now())]);
  }
}

/**
 * The projects on the invoice are notified, also of a credit for other lines: what is due for the invoice that
 * `invoice.issued` reported to them has changed. @returns delivery lanes of the events
 */
function recordIssued(tx: Queryable, invoice: StoredInvoice, note: StoredCreditNote): Promise<readonly string[]> {
  return recordForProjects(tx, invoice, {
    type: 'credit_note.issued',
    data: {
      credit_note_id: note.id,
      number: note.number,
      invoice_id: invoice.id,
      invoice_number: invoice.number,
      net_sar: sarNumber(note.net),
      vat_sar: sarNumber(note.vat),
      total_sar: sarNumber(note.gross),
      currency: 'SAR',
    },
    created_at: note.issued_at,
  });
}

function rowOf(
  { id: invoice_id, organization_id, seller, buyer, vat_percent }: StoredInvoice,
  credit: Credit,
  { reference, reason }: NewCreditNote,
  { series, sequence, issuedAt }: { readonly series: string; readonly sequence: number; readonly issuedAt: Date },
): CreditNoteRow {
  return {
    id: newId(),
    organization_id,
    invoice_id,
    number: documentNumber(series, sequence),
    series,
    sequence,
    reference,
    reason,
    issued_at: issuedAt,
    seller,
    buyer,
    vat_percent,
    ...credit,
  };
}
