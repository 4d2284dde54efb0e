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

/** What an invoice would contain if it were issued now. */
export interface InvoiceDraft {
  readonly lines: readonly InvoiceLine[];
  readonly totals: InvoiceTotals;
}

/** Computes what an organization has used and how much of it earlier invoices and payments have already covered. */
export class InvoiceDrafts {
  constructor(private readonly options: InvoiceDraftsOptions) {}

  /** Null if nothing is due. */
  async of(organizationId: string, month: string, on: Queryable = this.options.db): Promise<InvoiceDraft | null> {
    const { invoices, ledger, vatPercent } = this.options;
    const issued = await invoices.issued(organizationId, on);
    const billed = issued.flatMap(({ lines }) => lines);
    const months = await this.#months(on, organizationId, month, issued, billed);
    const billedOf = billed.filter(({ month: of }) => months.includes(of));
    const lines = invoiceLines(await invoices.used(on, organizationId, months), billedOf);
    const available = (await ledger.paidIn(organizationId, on)) - spentOn(issued);
    const totals = invoiceTotals(lines, available, vatPercent);
    return totals.net > 0 && totals.exact > 0 ? { lines, totals } : null;
  }

  /** The month, plus earlier invoiced months whose usage has changed since their invoice. */
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

/**
 * How much of the money paid in has been consumed by earlier invoices: before they were issued, and to pay them. A credit
 * first reduces what is due; the rest of it is available again.
 */
function spentOn(issued: readonly StoredInvoice[]): MicroSar {
  return issued.reduce((sum, { exact, balance_exact, due_net, credited_net, status }) => {
    const spent = status === 'paid' ? exact - credited_net : balance_exact - Math.max(0, credited_net - due_net);
    return sum + spent;
  }, 0);
}
