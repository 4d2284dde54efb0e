import type { InvoiceLine } from '../model/invoice/lines.js';
import type { Buyer, Seller } from '../model/invoice/seller.js';
import type { InvoiceTotals } from '../model/invoice/totals.js';

/** An invoice as it is printed. */
export interface PrintedInvoice extends InvoiceTotals {
  readonly number: string;
  /** `YYYY-MM`. */
  readonly month: string;
  readonly issued_at: Date;
  readonly seller: Seller;
  readonly buyer: Buyer;
  readonly lines: readonly InvoiceLine[];
  readonly vat_percent: number;
  /** When a payment settled the invoice; null if unpaid. */
  readonly paid_at: Date | null;
}

/** Renders an invoice as a PDF in Arabic and English. The same invoice gives the same document. */
export interface InvoicePrinter {
  print(invoice: PrintedInvoice): Promise<Buffer>;
}
