import type { InvoiceFilter, Invoices, StoredInvoice } from '../../data/repositories/billing/invoices.js';
import { HatifError } from '../../model/errors/index.js';
import type { InvoicePrinter } from '../../ports/invoice-document.js';

/** Reads invoices for the API and the command line. */
export class ReadInvoices {
  constructor(
    private readonly invoices: Invoices,
    private readonly printer: InvoicePrinter,
  ) {}

  /** @param organizationId null reads any organization's. @throws HatifError INVOICE_NOT_FOUND */
  async get(organizationId: string | null, id: string): Promise<StoredInvoice> {
    const invoice = await this.invoices.get(organizationId, id);
    if (!invoice) throw new HatifError('INVOICE_NOT_FOUND', { id });
    return invoice;
  }

  /** @throws HatifError INVOICE_NOT_FOUND */
  async findByNumber(number: string): Promise<StoredInvoice> {
    const invoice = await this.invoices.findByNumber(number);
    if (!invoice) throw new HatifError('INVOICE_NOT_FOUND', { id: number });
    return invoice;
  }

  /**
   * Returns invoices newest first, only those before `beforeId` if it is given. @param organizationId null lists all
   * organizations'
   */
  page(
    organizationId: string | null,
    filter: InvoiceFilter,
    beforeId: string | null,
    limit: number,
  ): Promise<StoredInvoice[]> {
    return this.invoices.page(organizationId, filter, beforeId, limit);
  }

  /** @throws HatifError as {@link findByNumber} does */
  async pdfOf(number: string): Promise<Buffer> {
    return this.pdf(await this.findByNumber(number));
  }

  pdf(invoice: StoredInvoice): Promise<Buffer> {
    return this.printer.print(invoice);
  }
}
