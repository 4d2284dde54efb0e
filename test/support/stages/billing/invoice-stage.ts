import { CreditNotes } from '../../../../core/data/repositories/billing/credit-notes.js';
import { Invoices } from '../../../../core/data/repositories/billing/invoices.js';
import type { Seller } from '../../../../core/model/invoice/seller.js';
import { systemClock } from '../../../../core/ports/clock.js';
import { CreditInvoices, type CreditInvoicesOptions } from '../../../../core/services/invoices/crediting.js';
import { InvoiceDrafts } from '../../../../core/services/invoices/drafts.js';
import { IssueInvoices, type IssueInvoicesOptions } from '../../../../core/services/invoices/issuing.js';
import type { BillingStage } from './billing-stage.js';

export const SELLER: Seller = {
  name_ar: 'شركة هاتف للاتصالات',
  name_en: 'Hatif Telecom',
  vat_number: '310122393500003',
  address: 'طريق الملك فهد، الرياض 12214',
};

/** The service that issues invoices on a stage, with the number series `INV`. */
export function issuerOn(stage: BillingStage, changes: Partial<IssueInvoicesOptions> = {}): IssueInvoices {
  const { db, ledger } = stage;
  const vatPercent = 15;
  const invoices = new Invoices(db);
  return new IssueInvoices({
    db,
    invoices,
    drafts: new InvoiceDrafts({ db, invoices, ledger, vatPercent }),
    seller: SELLER,
    prefix: 'INV',
    vatPercent,
    clock: systemClock,
    wake: (lanes) => void stage.woken.push(...lanes),
    ...changes,
  });
}

/** The service that issues credit notes on a stage, with the number series `CN`. */
export function creditorOn(stage: BillingStage, changes: Partial<CreditInvoicesOptions> = {}): CreditInvoices {
  const { db, ledger } = stage;
  return new CreditInvoices({
    db,
    invoices: new Invoices(db),
    creditNotes: new CreditNotes(db),
    ledger,
    prefix: 'CN',
    clock: systemClock,
    wake: (lanes) => void stage.woken.push(...lanes),
    ...changes,
  });
}

/** Parses a local time of Riyadh. */
export function riyadh(text: string): Date {
  return new Date(`${text}+03:00`);
}
