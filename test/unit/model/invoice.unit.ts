import { expect } from 'chai';
import fc from 'fast-check';
import { invoiceLines, type UsedItem } from '../../../core/model/invoice/lines.js';
import { dayAfterMonth, endOfMonth, isMonth } from '../../../core/model/invoice/month.js';
import { invoiceQr } from '../../../core/model/invoice/qr.js';
import { invoiceTotals } from '../../../core/model/invoice/totals.js';
import { usedItem } from '../../support/rows/invoice-items.js';

/** Distinct items, some of them of earlier months. */
const items = fc.uniqueArray(
  fc
    .record({
      month: fc.constantFrom('2026-08', '2026-09', '2026-10'),
      project_id: fc.constantFrom('a', 'b'),
      usage_type: fc.constantFrom('sms', 'mail', 'fax'),
      quantity: fc.integer({ min: 1, max: 1e6 }),
      exact: fc.integer({ min: 1, max: 1e12 }),
    })
    .map((changes) => usedItem({ ...changes, kind: 'usage', direction: null, call_kind: null, seconds: null })),
  { selector: ({ month, project_id, usage_type }) => month + project_id + String(usage_type) },
);
const exactOf = (lines: readonly UsedItem[]): number => lines.reduce((sum, { exact }) => sum + exact, 0);

describe('lines of invoices', () => {
  it('are the usage minus what earlier invoices billed, in every case', () => {
    fc.assert(
      fc.property(items, items, (first, added) => {
        const billed = invoiceLines(first, []);
        expect(exactOf(billed)).to.equal(exactOf(first));
        const same = (one: UsedItem) => (other: UsedItem) =>
          one.month === other.month && one.project_id === other.project_id && one.usage_type === other.usage_type;
        const now = first.map((one) => {
          const more = added.find(same(one));
          return more ? { ...one, quantity: one.quantity + more.quantity, exact: one.exact + more.exact } : one;
        });
        const later = [...now, ...added.filter((more) => !first.some(same(more)))];
        const next = invoiceLines(later, billed);
        expect(exactOf(next)).to.equal(exactOf(added));
        expect(next.map(({ quantity }) => quantity).sort()).to.deep.equal(added.map(({ quantity }) => quantity).sort());
        expect(invoiceLines(later, [...billed, ...next])).to.deep.equal([]);
      }),
    );
  });

  it('are rounded half up one by one', () => {
    const lines = invoiceLines([usedItem({ exact: 5_000 }), usedItem({ exact: 4_999, call_kind: 'web' })], []);
    expect(lines.map(({ exact, amount }) => [exact, amount])).to.have.deep.members([
      [5_000, 10_000],
      [4_999, 0],
    ]);
  });
});

describe('totals of invoices', () => {
  it('add up to the halala, whatever was paid before', () => {
    fc.assert(
      fc.property(
        items,
        fc.integer({ min: -1e12, max: 2e13 }),
        fc.integer({ min: 0, max: 100 }),
        (used, paid, percent) => {
          const lines = invoiceLines(used, []);
          const totals = invoiceTotals(lines, paid, percent);
          for (const [name, amount] of Object.entries(totals)) {
            expect(amount, name).to.be.at.least(0);
            if (!name.endsWith('exact')) expect(amount % 10_000, name).to.equal(0);
          }
          expect(totals.net).to.equal(lines.reduce((sum, { amount }) => sum + amount, 0));
          // The sum is rounded once: within half a halala of the exact tax.
          expect(Math.abs(totals.vat - (totals.net * percent) / 100)).to.be.at.most(5_000);
          expect(totals.gross).to.equal(totals.net + totals.vat);
          expect(totals.balance_net + totals.due_net).to.equal(totals.net);
          expect(totals.balance_vat + totals.due_vat).to.equal(totals.vat);
          expect(totals.due).to.equal(totals.due_net + totals.due_vat);
          expect(totals.balance_exact).to.be.at.most(Math.max(0, paid));
          if (paid >= totals.exact) expect(totals.due).to.equal(0);
          if (paid <= 0) expect(totals.due).to.equal(totals.gross);
        },
      ),
    );
  });

  it('round the tax half up, once', () => {
    const lines = invoiceLines([usedItem({ exact: 100_000 }), usedItem({ exact: 200_000, call_kind: 'web' })], []);
    expect(invoiceTotals(lines, 0, 15)).to.include({ net: 300_000, vat: 50_000, gross: 350_000, due: 350_000 });
  });
});

describe('months of invoices', () => {
  it('are calendar months', () => {
    expect(['2026-01', '2026-12'].every(isMonth)).to.equal(true);
    for (const text of ['2026-00', '2026-13', '26-01', '2026-1', '2026-01-01', ' 2026-01', '1999-01']) {
      expect(isMonth(text), text).to.equal(false);
    }
  });

  it('end at midnight in Riyadh', () => {
    expect(dayAfterMonth('2026-12')).to.equal('2027-01-01');
    expect(endOfMonth('2026-12').toISOString()).to.equal('2026-12-31T21:00:00.000Z');
    expect(endOfMonth('2028-02').toISOString()).to.equal('2028-02-29T21:00:00.000Z');
  });
});

describe('the QR code of invoices', () => {
  /** Parses the code like another program: tag, length in bytes, value. */
  function read(text: string): Map<number, string> {
    const bytes = Buffer.from(text, 'base64');
    const values = new Map<number, string>();
    for (let at = 0; at < bytes.length; at += 2 + (bytes[at + 1] ?? 0)) {
      values.set(bytes[at] ?? 0, bytes.subarray(at + 2, at + 2 + (bytes[at + 1] ?? 0)).toString('utf8'));
    }
    return values;
  }
  const facts = {
    sellerName: 'Bobs Records',
    vatNumber: '310122393500003',
    issuedAt: new Date('2022-04-25T15:30:00.789Z'),
    gross: 1_000_000_000,
    vat: 150_000_000,
  };

  it('matches the published example', () => {
    // ZATCA's example: seller "Bobs Records", 25 April 2022, 1000.00 with 150.00 of VAT.
    expect(invoiceQr(facts)).to.equal(
      'AQxCb2JzIFJlY29yZHMCDzMxMDEyMjM5MzUwMDAwMwMUMjAyMi0wNC0yNVQxNTozMDowMFoEBzEwMDAuMDAFBjE1MC4wMA==',
    );
  });

  it('counts bytes of Arabic names, not letters', () => {
    const sellerName = 'شركة هاتف للاتصالات';
    const text = invoiceQr({ ...facts, sellerName });
    expect(Buffer.from(text, 'base64')[1]).to.equal(Buffer.byteLength(sellerName));
    expect([...read(text)]).to.deep.equal([
      [1, sellerName],
      [2, '310122393500003'],
      [3, '2022-04-25T15:30:00Z'],
      [4, '1000.00'],
      [5, '150.00'],
    ]);
  });

  it('holds any name, with long names cut between characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (sellerName) => {
        const values = read(invoiceQr({ ...facts, sellerName }));
        expect([...values.keys()]).to.deep.equal([1, 2, 3, 4, 5]);
        const name = values.get(1) ?? '';
        expect(sellerName.startsWith(name)).to.equal(true);
        if (Buffer.byteLength(sellerName) <= 255) expect(name).to.equal(sellerName);
        else expect(Buffer.byteLength(name)).to.be.within(245, 255);
      }),
    );
  });
});
