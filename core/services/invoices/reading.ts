import type { InvoiceFilter, Invoices, StoredInvoice } from '../../data/repositories/billing/invoices.js';
import { HatifError } from '../../model/errors/index.js';
import type { InvoicePrinter } from '../../ports/invoice-document.js';

/** Invoices as those see them for whom they are. */
export class ReadInvoices {
  constructor(
    private readonly invoices: Invoices,
    private readonly printer: InvoicePrinter,
  ) {}

  /** @param organizationId null reads anybody's. @throws HatifError INVOICE_NOT_FOUND */
  async get(organizationId: string | null, id: string): Promise<StoredInvoice> {
    const invoice = await this.invoices.get(organizationId, id);
    if (!invoice) throw new HatifError('INVOICE_NOT_FOUND', { id });
    return invoice;
  }

  /** @throws HatifError INVOICE_NOT_FOUND */
  async numbered(number: string): Promise<StoredInvoice> {
    const invoice = await this.invoices.findByNumber(number);
    if (!invoice) throw new HatifError('INVOICE_NOT_FOUND', { id: number });
    return invoice;
  }

  /** Newest first, those before `beforeId` only. @param organizationId null lists everybody's */
  page(
    organizationId: string | null,
    filter: InvoiceFilter,
    beforeId: string | null,
    limit: number,
  ): Promise<StoredInvoice[]> {
    return this.invoices.page(organizationId, filter, beforeId, limit);
  }

  pdf(invoice: StoredInvoice): Promise<Buffer> {
    return this.printer.print(invoice);
  }
}
