import type { Database, Queryable } from '../../data/database.js';
import { DatabaseUnavailable } from '../../data/errors.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { InvoiceCandidate, Invoices } from '../../data/repositories/billing/invoices.js';
import type { InvoiceRow } from '../../data/rows.js';
import { invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import { dayAfterMonth, endOfMonth, isMonth, NOT_A_MONTH } from '../../model/invoice/month.js';
import type { Seller } from '../../model/invoice/seller.js';
import type { InvoiceTotals } from '../../model/invoice/totals.js';
import { sarNumber } from '../../model/money.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import type { InvoiceDrafts } from './drafts.js';

export interface IssueInvoicesOptions {
  readonly db: Database;
  readonly invoices: Invoices;
  readonly drafts: InvoiceDrafts;
  /** Null where the settings do not name one. */
  readonly seller: Seller | null;
  /** What numbers begin with, before the year. */
  readonly prefix: string;
  readonly vatPercent: number;
  readonly clock: Clock;
  /** There is something to deliver in these lanes. */
  readonly wake: (lanes: readonly string[]) => void;
}

/** Nobody is named as the one who writes the invoices. */
export class SellerMissing extends Error {
  override readonly name = 'SellerMissing';
}

export interface InvoiceRun {
  readonly month: string;
  /** As they were issued, or would be: without a number then. */
  readonly issued: readonly IssuedInvoice[];
  /** Organizations that had their invoice of the month before. */
  readonly already: number;
  /** Organizations that used nothing that costs a halala. */
  readonly without: number;
  /** Whose invoice could not be written; the others have theirs. */
  readonly failed: readonly FailedInvoice[];
  /** Calls up to the month's end without a rating yet: they come with the next invoice. */
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

const NUMBER_DIGITS = 6;

/** Writes the invoices of a month that is over: one an organization, in a transaction of its own with its number and what it tells. */
export class IssueInvoices {
  constructor(private readonly options: IssueInvoicesOptions) {}

  /**
   * Who has an invoice of the month already gets no other one.
   * @param month `YYYY-MM` of Riyadh
   * @param organizationId null is everybody
   * @param dryRun only says what would be issued
   * @throws SellerMissing, HatifError VALIDATION_ERROR for what is no month or not over yet, DatabaseUnavailable: what was issued before
   *   stays, and the next run goes on.
   */
  async run(
    month: string,
    organizationId: string | null,
    dryRun: boolean,
    onProgress: (done: number, total: number) => void = () => undefined,
  ): Promise<InvoiceRun> {
    const { invoices, clock } = this.options;
    if (!isMonth(month)) throw invalidField('month', NOT_A_MONTH);
    if (endOfMonth(month) > clock.now()) throw invalidField('month', NOT_OVER);
    const seller = this.#seller();
    const candidates = (await invoices.candidates(dayAfterMonth(month))).filter(
      ({ id }) => organizationId === null || id === organizationId,
    );
    const issued: IssuedInvoice[] = [];
    const failed: FailedInvoice[] = [];
    let [already, without] = [0, 0];
    for (const [index, candidate] of candidates.entries()) {
      const outcome = await (dryRun ? this.#preview(candidate, month) : this.#issue(candidate, month, seller)).catch(
        (error: unknown) => failureOf(candidate, error),
      );
      if (outcome !== null && typeof outcome === 'object' && 'reason' in outcome) failed.push(outcome);
      else if (outcome === 'already') already += 1;
      else if (outcome === null) without += 1;
      else issued.push(outcome);
      onProgress(index + 1, candidates.length);
    }
    return { month, issued, already, without, failed, unrated_calls: await invoices.unrated(endOfMonth(month)) };
  }

  async #issue(to: InvoiceCandidate, month: string, seller: Seller): Promise<IssuedInvoice | 'already' | null> {
    const { db, invoices, drafts, prefix, vatPercent, clock, wake } = this.options;
    const { outcome, lanes } = await db.transaction(async (tx) => {
      const issuedAt = clock.now();
      const series = `${prefix}-${riyadhDay(issuedAt).slice(0, 4)}-`;
      // Whoever else issues waits here: what they issued is seen below, and the next number is nobody else's.
      const last = await invoices.lockSeries(tx, series);
      if (await invoices.ofMonth(to.id, month, tx)) return { outcome: 'already' as const, lanes: [] };
      const draft = await drafts.of(to.id, month, tx);
      if (!draft) return { outcome: null, lanes: [] };
      const sequence = last + 1;
      const row: InvoiceRow = {
        ...draft.totals,
        id: newId(),
        organization_id: to.id,
        number: `${series}${String(sequence).padStart(NUMBER_DIGITS, '0')}`,
        series,
        sequence,
        month,
        issued_at: issuedAt,
        seller,
        buyer: { name: to.name },
        lines: draft.lines,
        vat_percent: vatPercent,
      };
      await invoices.insert(tx, row);
      return { outcome: summaryOf(to, row, row.number), lanes: await tell(tx, row) };
    });
    if (lanes.length > 0) wake(lanes);
    return outcome;
  }

  async #preview(to: InvoiceCandidate, month: string): Promise<IssuedInvoice | 'already' | null> {
    const { invoices, drafts } = this.options;
    if (await invoices.ofMonth(to.id, month)) return 'already';
    const draft = await drafts.of(to.id, month);
    return draft && summaryOf(to, draft.totals, null);
  }

  #seller(): Seller {
    const { seller } = this.options;
    if (!seller) throw new SellerMissing('the settings INVOICE_SELLER_* do not say who writes the invoices');
    return seller;
  }
}

const NOT_OVER = { en: 'is not over yet in Riyadh', ar: 'لم ينتهِ بعد بتوقيت الرياض' };

/** One organization's fault is not that of the others; without a database none gets any further. */
function failureOf({ id, name }: InvoiceCandidate, error: unknown): FailedInvoice {
  if (error instanceof DatabaseUnavailable) throw error;
  return { organization_id: id, organization: name, reason: error instanceof Error ? error.message : String(error) };
}

function summaryOf(to: InvoiceCandidate, totals: InvoiceTotals, number: string | null): IssuedInvoice {
  const { net, vat, gross, due } = totals;
  return { number, organization_id: to.id, organization: to.name, net, vat, gross, due };
}

/** Each project that is on the invoice is told of it. @returns lanes with deliveries */
async function tell(tx: Queryable, invoice: InvoiceRow): Promise<readonly string[]> {
  const lanes: string[] = [];
  for (const projectId of new Set(invoice.lines.map(({ project_id }) => project_id))) {
    lanes.push(
      ...(await recordEvent(
        tx,
        projectEvent({
          organization_id: invoice.organization_id,
          project_id: projectId,
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
        }),
      )),
    );
  }
  return [...new Set(lanes)];
}
