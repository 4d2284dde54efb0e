import type { InvoicePrinter, PrintedCreditNote, PrintedInvoice } from '../../core/ports/invoice-document.js';

/** Renders invoices and credit notes as PDF. The renderer takes a third of a second to load, so it is loaded for the first invoice. */
export class PdfInvoices implements InvoicePrinter {
  async print(invoice: PrintedInvoice): Promise<Buffer> {
    const { invoicePdf } = await import('./invoice-page.js');
    return invoicePdf(invoice);
  }

  async printCredit(note: PrintedCreditNote): Promise<Buffer> {
    const { creditNotePdf } = await import('./invoice-page.js');
    return creditNotePdf(note);
  }
}
