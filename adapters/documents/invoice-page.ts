import type { InvoiceLine } from '../../core/model/invoice/lines.js';
import { dayAfterMonth } from '../../core/model/invoice/month.js';
import { riyadhDay, riyadhTime } from '../../core/model/riyadh.js';
import { minutesOf } from '../../core/model/usage.js';
import type { PrintedCreditNote, PrintedInvoice } from '../../core/ports/invoice-document.js';
import { grouped, sar, taxDocumentPdf, type DocumentLine, type TaxDocument } from './tax-document.js';
import { lineWords, vatWords, WORDS, type Words } from './wording.js';

type Field = readonly [words: Words, value: string];

/** Renders an invoice in Arabic and English, with the QR code that Saudi tax invoices require. */
export function invoicePdf(invoice: PrintedInvoice): Promise<Buffer> {
  const { number, month, net, vat, gross, balance_net, balance_vat, due, vat_percent, paid_at } = invoice;
  return taxDocumentPdf({
    ...invoice,
    title: WORDS.title,
    fields: [
      [WORDS.number, number],
      [WORDS.issued, issuedOn(invoice.issued_at)],
      [WORDS.period, `${month}-01 / ${lastDayOf(month)}`],
      ...parties(invoice),
    ],
    lines: invoice.lines.map((line) => ({
      ...documentLine(line, month),
      quantity: grouped(String(line.quantity)),
      minutes: line.seconds === null ? '' : grouped(minutesOf(line.seconds).toFixed(2)),
    })),
    sums: [
      [WORDS.net, sar(net), false],
      [vatWords(vat_percent), sar(vat), false],
      [WORDS.gross, sar(gross), true],
      [WORDS.fromBalance, sar(balance_net + balance_vat), false],
      [WORDS.due, sar(due), true],
      ...(paid_at ? ([[WORDS.paid, riyadhDay(paid_at), false]] as const) : []),
    ],
  });
}

/** Renders a credit note like an invoice, with the invoice that it credits and the reason, which ZATCA requires. */
export function creditNotePdf(note: PrintedCreditNote): Promise<Buffer> {
  const { number, month, net, vat, gross, vat_percent, reason, invoice_number, invoice_issued_at } = note;
  return taxDocumentPdf({
    ...note,
    title: WORDS.creditTitle,
    fields: [
      [WORDS.creditNumber, number],
      [WORDS.issued, issuedOn(note.issued_at)],
      [WORDS.creditedInvoice, `${invoice_number} (${riyadhDay(invoice_issued_at)})`],
      [WORDS.reason, reason],
      ...parties(note),
    ],
    lines: note.lines.map((line) => ({ ...documentLine(line, month), quantity: '', minutes: '' })),
    sums: [
      [WORDS.creditNet, sar(net), false],
      [vatWords(vat_percent), sar(vat), false],
      [WORDS.creditGross, sar(gross), true],
    ],
  });
}

function parties({ seller, buyer }: Pick<PrintedInvoice, 'seller' | 'buyer'>): Field[] {
  return [
    [WORDS.seller, `${seller.name_ar} / ${seller.name_en}`],
    [WORDS.vatNumber, seller.vat_number],
    [WORDS.address, seller.address],
    [WORDS.buyer, buyer.name],
  ];
}

function documentLine(
  line: Omit<InvoiceLine, 'exact' | 'quantity' | 'seconds'>,
  month: string,
): Pick<DocumentLine, 'project_id' | 'project_name' | 'words' | 'amount'> {
  const { project_id, project_name, amount } = line;
  return { project_id, project_name, words: lineWords(line, month), amount };
}

function issuedOn(at: TaxDocument['issued_at']): string {
  return riyadhTime(at).slice(0, 16).replace('T', ' ');
}

const DAY_MS = 86_400_000;

function lastDayOf(month: string): string {
  return new Date(new Date(dayAfterMonth(month)).getTime() - DAY_MS).toISOString().slice(0, 10);
}
