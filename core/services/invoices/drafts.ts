import type { Database, Queryable } from '../../data/database.js';
import type { Invoices, StoredInvoice } from '../../data/repositories/billing/invoices.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import { invoiceLines, type InvoiceLine } from '../../model/invoice/lines.js';
import { dayAfterMonth } from '../../model/invoice/month.js';
import { invoiceTotals, type InvoiceTotals } from '../../model/invoice/totals.js';
import type { MicroSar } from '../../model/money.js';

export interface InvoiceDraftsOptions {
  readonly db: Database;
  readonly invoices: Invoices;
  readonly ledger: Pick<Ledger, 'paidIn'>;
  readonly vatPercent: number;
}

/** What an invoice would say if it were issued now. */
export interface InvoiceDraft {
  readonly lines: readonly InvoiceLine[];
  readonly totals: InvoiceTotals;
}

/** Reckons what organizations have used and what of it earlier invoices and money paid in have settled. */
export class InvoiceDrafts {
  constructor(private readonly options: InvoiceDraftsOptions) {}

  /** Null where nothing is to be paid for. */
  async of(organizationId: string, month: string, on: Queryable = this.options.db): Promise<InvoiceDraft | null> {
    const { invoices, ledger, vatPercent } = this.options;
    const issued = await invoices.issued(organizationId, on);
    const billed = issued.flatMap(({ lines }) => lines);
    const months = await this.#months(on, organizationId, month, issued, billed);
    const lines = invoiceLines(await invoices.used(on, organizationId, months), billed);
    const available = (await ledger.paidIn(organizationId, on)) - spentOn(issued);
    const totals = invoiceTotals(lines, available, vatPercent);
    return totals.net > 0 ? { lines, totals } : null;
  }

  /** The month, and earlier ones with an invoice of their own of which more has come to light than they billed. */
  async #months(
    on: Queryable,
    organizationId: string,
    month: string,
    issued: readonly StoredInvoice[],
    billed: readonly InvoiceLine[],
  ): Promise<string[]> {
    const spent = await this.options.invoices.spentByMonth(on, organizationId, dayAfterMonth(month));
    const billedOf = (of: string): MicroSar =>
      billed.reduce((sum, line) => (line.month === of ? sum + line.exact : sum), 0);
    const late = spent.filter(
      ({ month: of, amount }) =>
        of < month && issued.some((invoice) => invoice.month === of) && amount !== billedOf(of),
    );
    return [month, ...late.map(({ month: of }) => of)];
  }
}

/** What earlier invoices have taken of the money that was paid in: before they were issued, and to settle them. */
function spentOn(issued: readonly StoredInvoice[]): MicroSar {
  return issued.reduce((sum, { exact, balance_exact, status }) => sum + (status === 'paid' ? exact : balance_exact), 0);
}
