import { PdfInvoices } from '../../adapters/documents/invoice-pdf.js';
import type { Settings } from '../../config/settings.js';
import type { Seller } from '../../core/model/invoice/seller.js';
import type { Clock } from '../../core/ports/clock.js';
import { CreditInvoices } from '../../core/services/invoices/crediting.js';
import { ReadCreditNotes } from '../../core/services/invoices/credit-notes.js';
import { InvoiceDrafts } from '../../core/services/invoices/drafts.js';
import { IssueInvoices } from '../../core/services/invoices/issuing.js';
import { ReadInvoices } from '../../core/services/invoices/reading.js';
import type { Stores } from './stores.js';

/** Services that issue and read invoices and credit notes. */
export interface Invoicing {
  readonly issue: IssueInvoices;
  readonly read: ReadInvoices;
  readonly credit: CreditInvoices;
  readonly readCredits: ReadCreditNotes;
}

/** @param wake called with lanes that have webhooks to deliver */
export function openInvoicing(
  stores: Stores,
  settings: Settings,
  clock: Clock,
  wake: (lanes: readonly string[]) => void,
): Invoicing {
  const { db, invoices, creditNotes, ledger } = stores;
  const printer = new PdfInvoices();
  const vatPercent = settings.BILLING_VAT_PERCENT;
  return {
    issue: new IssueInvoices({
      db,
      invoices,
      drafts: new InvoiceDrafts({ db, invoices, ledger, vatPercent }),
      seller: sellerOf(settings),
      prefix: settings.INVOICE_NUMBER_PREFIX,
      vatPercent,
      clock,
      wake,
    }),
    read: new ReadInvoices(invoices, printer),
    credit: new CreditInvoices({
      ...{ db, invoices, creditNotes, ledger, clock, wake },
      prefix: settings.CREDIT_NOTE_NUMBER_PREFIX,
    }),
    readCredits: new ReadCreditNotes(creditNotes, printer),
  };
}

/** Null if the settings do not describe the seller completely. */
function sellerOf(settings: Settings): Seller | null {
  const {
    INVOICE_SELLER_NAME_AR: name_ar,
    INVOICE_SELLER_NAME_EN: name_en,
    INVOICE_SELLER_VAT_NUMBER: vat_number,
    INVOICE_SELLER_ADDRESS: address,
  } = settings;
  if (name_ar === undefined || name_en === undefined || vat_number === undefined || address === undefined) return null;
  return { name_ar, name_en, vat_number, address };
}
