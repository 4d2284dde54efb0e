import type { Database, Queryable } from '../../data/database.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import type { InvoiceCandidate, Invoices } from '../../data/repositories/billing/invoices.js';
import type { InvoiceRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { dayAfterMonth, endOfMonth, isMonth, NOT_A_MONTH } from '../../model/invoice/month.js';
import type { Seller } from '../../model/invoice/seller.js';
import type { InvoiceTotals } from '../../model/invoice/totals.js';
import { sarNumber } from '../../model/money.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import type { InvoiceDrafts } from './drafts.js';
import { documentNumber } from './numbering.js';
import { recordForProjects } from './project-events.js';

export interface IssueInvoicesOptions {
  readonly db: Database;
  readonly invoices: Invoices;
  readonly drafts: InvoiceDrafts;
  /** Null if the settings name no seller. */
  readonly seller: Seller | null;
  /** Prefix of invoice numbers, before the year. */
  readonly prefix: string;
  readonly vatPercent: number;
  readonly clock: Clock;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

export interface InvoiceRun {
  readonly month: string;
  /** The issued invoices; in a dry run those that would be issued, without numbers. */
  readonly issued: readonly IssuedInvoice[];
  /** Number of organizations that already had an invoice for the month. */
  readonly already: number;
  /** Number of organizations whose usage costs less than one halala. */
  readonly without: number;
  /** Organizations whose invoice could not be issued; the others are not affected. */
  readonly failed: readonly FailedInvoice[];
  /** Calls up to the end of the month that are not rated yet; the next invoice includes them. */
  readonly unrated_calls: number;
}

export interface IssuedInvoice extends Pick<InvoiceTotals, 'net' | 'vat' | 'gross' | 'due'> {
  readonly number: string | null;
  readonly organization_id: string;
  readonly organization: string;
}

interface FailedInvoice {
  readonly organization_id: string;
  readonly organization: string;
  readonly reason: string;
}

/**
 * Issues the invoices of a finished month: one per organization, each in its own transaction with its number and its
 * events.
 */
export class IssueInvoices {
  constructor(private readonly options: IssueInvoicesOptions) {}

  /**
   * Organizations that already have an invoice for the month get no other one.
   * @param month `YYYY-MM` in Riyadh time
   * @param organizationId null issues for all organizations
   * @param dryRun only returns what would be issued; of the current month, what would be if it were over now
   * @throws HatifError INVOICE_SELLER_MISSING, VALIDATION_ERROR if the month is invalid, or not over yet (with `dryRun`: has not begun), DatabaseUnavailable:
   * invoices issued so far stay valid, and the next run continues.
   */
  async run(
    month: string,
    organizationId: string | null,
    dryRun: boolean,
    onProgress: (done: number, total: number) => void = () => undefined,
  ): Promise<InvoiceRun> {
    const { invoices, clock } = this.options;
    if (!isMonth(month)) throw invalidField('month', NOT_A_MONTH);
    const now = clock.now();
    if (endOfMonth(month) > now && !(dryRun && month === riyadhDay(now).slice(0, 7)))
      throw invalidField('month', NOT_OVER);
    // A preview names no seller.
    const seller = dryRun ? null : this.#seller();
    const candidates = (await invoices.candidates(dayAfterMonth(month))).filter(
      ({ id }) => organizationId === null || id === organizationId,
    );
    const issued: IssuedInvoice[] = [];
    const failed: FailedInvoice[] = [];
    let [already, without] = [0, 0];
    for (const [index, candidate] of candidates.entries()) {
      const outcome = await (
        seller === null ? this.#preview(candidate, month) : this.#issue(candidate, month, seller)
      ).catch((error: unknown) => failureOf(candidate, error));
      if (outcome !== null && typeof outcome === 'object' && 'reason' in outcome) failed.push(outcome);
      else if (outcome === 'already') already += 1;
      else if (outcome === null) without += 1;
      else issued.push(outcome);
      onProgress(index + 1, candidates.length);
    }
    return { month, issued, already, without, failed, unrated_calls: await invoices.unrated(endOfMonth(month)) };
  }

  async #issue(candidate: InvoiceCandidate, month: string, seller: Seller): Promise<IssuedInvoice | 'already' | null> {
    const { db, invoices, drafts, prefix, vatPercent, clock, wake } = this.options;
    const { outcome, lanes } = await db.transaction(async (tx) => {
      const issuedAt = clock.now();
      const series = `${prefix}-${riyadhDay(issuedAt).slice(0, 4)}-`;
      // Concurrent runs wait here. After the lock this transaction sees their invoices, and the next number is unique.
      const last = await invoices.lockSeries(tx, series);
      if (await invoices.ofMonth(candidate.id, month, tx)) return { outcome: 'already' as const, lanes: [] };
      const draft = await drafts.of(candidate.id, month, tx);
      if (!draft) return { outcome: null, lanes: [] };
      const sequence = last + 1;
      const row: InvoiceRow = {
        ...draft.totals,
        id: newId(),
        organization_id: candidate.id,
        number: documentNumber(series, sequence),
        series,
        sequence,
        month,
        issued_at: issuedAt,
        seller,
        buyer: { name: candidate.name },
        lines: draft.lines,
        vat_percent: vatPercent,
      };
      await invoices.insert(tx, row);
      return { outcome: summaryOf(candidate, row, row.number), lanes: await recordIssued(tx, row) };
    });
    if (lanes.length > 0) wake(lanes);
    return outcome;
  }

  async #preview(candidate: InvoiceCandidate, month: string): Promise<IssuedInvoice | 'already' | null> {
    const { invoices, drafts } = this.options;
    if (await invoices.ofMonth(candidate.id, month)) return 'already';
    const draft = await drafts.of(candidate.id, month);
    return draft && summaryOf(candidate, draft.totals, null);
  }

  #seller(): Seller {
    const { seller } = this.options;
    if (!seller) throw new HatifError('INVOICE_SELLER_MISSING');
    return seller;
  }
}

const NOT_OVER = { en: 'is not over yet in Riyadh', ar: 'لم ينتهِ بعد بتوقيت الرياض' };

/** An error affects only its own organization, except that without a database no further invoice can be issued. */
function failureOf({ id, name }: InvoiceCandidate, error: unknown): FailedInvoice {
  if (error instanceof DatabaseUnavailable) throw error;
  return { organization_id: id, organization: name, reason: error instanceof Error ? error.message : String(error) };
}

function summaryOf(candidate: InvoiceCandidate, totals: InvoiceTotals, number: string | null): IssuedInvoice {
  const { net, vat, gross, due } = totals;
  return { number, organization_id: candidate.id, organization: candidate.name, net, vat, gross, due };
}

/** @returns delivery lanes of the events */
function recordIssued(tx: Queryable, invoice: InvoiceRow): Promise<readonly string[]> {
  return recordForProjects(tx, invoice, {
    type: 'invoice.issued',
    data: {
      invoice_id: invoice.id,
      number: invoice.number,
      month: invoice.month,
      net_sar: sarNumber(invoice.net),
      vat_sar: sarNumber(invoice.vat),
      total_sar: sarNumber(invoice.gross),
      due_sar: sarNumber(invoice.due),
      currency: 'SAR',
    },
    created_at: invoice.issued_at,
  });
}
