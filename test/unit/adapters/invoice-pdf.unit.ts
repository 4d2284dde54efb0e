import { expect } from 'chai';
import { PdfInvoices } from '../../../adapters/documents/invoice-pdf.js';
import { invoiceLines, type UsedItem } from '../../../core/model/invoice/lines.js';
import { invoiceQr } from '../../../core/model/invoice/qr.js';
import { invoiceTotals } from '../../../core/model/invoice/totals.js';
import type { PrintedInvoice } from '../../../core/ports/invoice-document.js';
import { usedItem } from '../../support/rows/invoice-items.js';
import { SELLER } from '../../support/stages/billing/invoice-stage.js';
import { readPdf } from '../../support/judges/pdf.js';

/** Large enough for thousands separators. */
const item = (changes: Partial<UsedItem> = {}): UsedItem =>
  usedItem({ quantity: 1_234, seconds: 98_765, exact: 1_234_567_890, ...changes });

function invoiceOf(used: readonly UsedItem[], changes: Partial<PrintedInvoice> = {}): PrintedInvoice {
  const lines = invoiceLines(used, []);
  return {
    ...invoiceTotals(lines, 500_000_000, 15),
    number: 'INV-2026-000042',
    month: '2026-10',
    issued_at: new Date('2026-11-01T06:12:00Z'),
    seller: SELLER,
    buyer: { name: 'مؤسسة الأفق' },
    lines,
    vat_percent: 15,
    paid_at: null,
    ...changes,
  };
}

describe('invoices as PDF', function () {
  this.timeout(30_000);
  const printer = new PdfInvoices();

  it('show the invoice in both languages, and its tax in a QR code', async () => {
    const invoice = invoiceOf([
      item(),
      item({ month: '2026-09', call_kind: 'callback' }),
      item({ kind: 'usage', direction: null, call_kind: null, seconds: null, usage_type: 'sms.segment' }),
    ]);
    const { pages, texts, title, qr } = await readPdf(await printer.print(invoice));
    expect([pages, title]).to.deep.equal([1, 'INV-2026-000042']);
    expect(texts).to.include.members([
      ...['Hatif Telecom', 'Tax invoice', 'INV-2026-000042', '2026-11-01 09:12', '2026-10-01 / 2026-10-31'],
      ...['رقم الفاتورة', 'العميل', 'Sales', 'Outgoing calls', 'مكالمات صادرة', '1,646.08', '1,234.57'],
      ...['Callbacks, outgoing leg (late, of', '2026-09)', 'Usage: sms.segment', 'المبلغ المستحق', 'مدفوع من الرصيد'],
      // 3 × 1,234.57, and 15 percent VAT on it.
      ...['3,703.71', '555.56', '4,259.27', '575.00', '3,684.27'],
    ]);
    expect(texts.join(' ')).not.to.contain('Paid on');
    const { gross, vat, issued_at: issuedAt } = invoice;
    expect(qr).to.equal(invoiceQr({ sellerName: SELLER.name_ar, vatNumber: SELLER.vat_number, issuedAt, gross, vat }));
  });

  it('show the date of payment', async () => {
    const paid = await printer.print(invoiceOf([item()], { paid_at: new Date('2026-11-05T22:00:00Z') }));
    expect((await readPdf(paid)).texts).to.include.members(['Paid on', '2026-11-06']);
  });

  it('continue on as many pages as needed, each with headings and page number', async () => {
    const used = Array.from({ length: 50 }, (_, index) =>
      item({ project_id: `p${index}`, project_name: `مشروع رقم ${index} (${'x'.repeat(120)})` }),
    );
    const { pages, texts, qr } = await readPdf(await printer.print(invoiceOf(used)));
    expect(pages).to.be.greaterThan(2);
    expect(texts.filter((text) => text === 'Description')).to.have.length(pages);
    expect(texts).to.include(`Page ${pages} of ${pages}`);
    expect(texts.filter((text) => text === 'Outgoing calls')).to.have.length(50);
    expect(qr).to.be.a('string');
  });

  it('are reproducible', async () => {
    const invoice = invoiceOf([item()]);
    expect((await printer.print(invoice)).equals(await printer.print(invoice))).to.equal(true);
  });
});
