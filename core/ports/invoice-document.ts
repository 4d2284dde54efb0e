import type { Credit } from '../model/invoice/credit.js';
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

/** A credit note as it is printed. */
export interface PrintedCreditNote extends Credit {
  readonly number: string;
  readonly issued_at: Date;
  readonly seller: Seller;
  readonly buyer: Buyer;
  readonly vat_percent: number;
  readonly reason: string;
  readonly invoice_number: string;
  readonly invoice_issued_at: Date;
  /** The month of the invoice, `YYYY-MM`. */
  readonly month: string;
}

/** Renders invoices and credit notes as PDF in Arabic and English. The same one gives the same document. */
export interface InvoicePrinter {
  printCredit(note: PrintedCreditNote): Promise<Buffer>;
  print(invoice: PrintedInvoice): Promise<Buffer>;
}
