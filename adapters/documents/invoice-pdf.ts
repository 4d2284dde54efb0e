import type { InvoicePrinter, PrintedInvoice } from '../../core/ports/invoice-document.js';

/** Prints invoices as PDF. What sets them takes a third of a second to load, and is only loaded for the first one. */
export class PdfInvoices implements InvoicePrinter {
  async print(invoice: PrintedInvoice): Promise<Buffer> {
    const { invoicePdf } = await import('./invoice-page.js');
    return invoicePdf(invoice);
  }
}
