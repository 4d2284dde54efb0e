import { expect } from 'chai';
import { PdfInvoices } from '../../../adapters/documents/invoice-pdf.js';
import { openApiDocument } from '../../../api/http/openapi.js';
import { creditNoteRoutes } from '../../../api/routes/billing/credit-notes.js';
import { invoiceRoutes } from '../../../api/routes/billing/invoices.js';
import { CreditNotes } from '../../../core/data/repositories/billing/credit-notes.js';
import { Invoices, type StoredInvoice } from '../../../core/data/repositories/billing/invoices.js';
import { Ledger } from '../../../core/data/repositories/billing/ledger.js';
import type { AuditRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { invoiceQr } from '../../../core/model/invoice/qr.js';
import { ReadCreditNotes } from '../../../core/services/invoices/credit-notes.js';
import type { NewCreditNote } from '../../../core/services/invoices/crediting.js';
import { ReadInvoices } from '../../../core/services/invoices/reading.js';
import { testApi } from '../../support/api.js';
import { HatifCommand } from '../../support/command.js';
import { readPdf } from '../../support/judges/pdf.js';
import { refusal } from '../../support/judges/refusal.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { ownerIn } from '../../support/rows/rows.js';
import { billingEach, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { creditorOn, issuerOn, riyadh } from '../../support/stages/billing/invoice-stage.js';

const MONTH = '2026-08';

describe('Credit notes', function () {
  this.timeout(60_000);
  let stage: BillingStage;
  let organization: string;
  billingEach((made) => {
    stage = made;
    organization = stage.ground.organizationId;
  });

  const used = async (type: string, halalas: number, month = MONTH): Promise<void> => {
    await stage.billing.reportedUsage.add(
      { organizationId: organization, projectId: stage.ground.projectId },
      { eventId: newId(), type, quantity: 1, unitPrice: halalas * 10_000, occurredAt: riyadh(`${month}-10T12:00:00`) },
    );
  };
  const invoiced = async (month = MONTH): Promise<StoredInvoice> => {
    await issuerOn(stage).run(month, organization, false);
    return (await new Invoices(stage.db).ofMonth(organization, month))!;
  };
  const again = async ({ id }: StoredInvoice): Promise<StoredInvoice> =>
    (await new Invoices(stage.db).get(organization, id))!;
  const credit = (invoice: StoredInvoice, changes: Partial<NewCreditNote> = {}, by = creditorOn(stage)) =>
    by.issue({
      ...{ invoice: invoice.number, line: null, amount: null, reference: newId(), reason: 'goodwill' },
      ...changes,
    });
  const pool = (): Promise<number> => stage.balances.pool(organization);

  it('credit a whole invoice: nothing is due, and the invoice itself stays as it is', async () => {
    await used('a', 1_001);
    await used('b', 2_002);
    const invoice = await invoiced();
    const { note } = await credit(invoice);
    expect(note.number).to.match(/^CN-\d{4}-\d{6}$/);
    expect([note.net, note.vat, note.gross]).to.deep.equal([invoice.net, invoice.vat, invoice.gross]);
    expect(note.lines.map(({ line, amount }) => [line, amount])).to.deep.equal([
      [1, 10_010_000],
      [2, 20_020_000],
    ]);
    expect(await again(invoice)).to.deep.equal({
      ...invoice,
      status: 'paid',
      ...{ credited_net: invoice.net, credited_vat: invoice.vat, outstanding_net: 0, outstanding_vat: 0 },
    });
    expect(await pool()).to.equal(30_030_000);
    expect(await refusal(credit(invoice))).to.match(/nothing left to credit/);
    const audit = await stage.db.query<AuditRow>(`SELECT * FROM audit_log WHERE organization_id = $1`, [organization]);
    expect(audit).to.have.length(1);
    expect(audit[0]).to.deep.include({
      method: 'CLI',
      route: 'hatif invoice credit',
      path: `/v1/invoices/${invoice.id}`,
    });
  });

  it('credit lines and amounts, never beyond the uncredited rest, with VAT that adds up to the invoice’s', async () => {
    await used('a', 333);
    await used('b', 334);
    const invoice = await invoiced();
    expect((await credit(invoice, { line: 2, amount: 1_110_000 })).note).to.include({ net: 1_110_000, vat: 170_000 });
    expect(await refusal(credit(invoice, { line: 2, amount: 2_240_000 }))).to.match(/at most 2\.23 SAR/);
    expect(await refusal(credit(invoice, { line: 3 }))).to.match(/must be 1 to 2/);
    expect(await refusal(credit(invoice, { amount: 5_570_000 }))).to.match(/at most 5\.56 SAR/);
    expect(await refusal(credit(invoice, { amount: 5_000 }))).to.match(/whole halalas/);
    const { note } = await credit(invoice, { amount: 3_440_000 });
    expect(note.lines.map(({ line, amount }) => [line, amount])).to.deep.equal([
      [1, 3_330_000],
      [2, 110_000],
    ]);
    expect(await refusal(credit(invoice, { line: 1 }))).to.match(/nothing left/);
    await credit(invoice);
    const { credited_net, credited_vat } = await again(invoice);
    expect([credited_net, credited_vat]).to.deep.equal([invoice.net, invoice.vat]);
  });

  it('get consecutive numbers from twenty parallel requests, and a failed one leaves no gap', async () => {
    await used('a', 10_000);
    const invoice = await invoiced();
    const prefix = `P${newId().slice(-6).toUpperCase()}`;
    const ledger = new Ledger(stage.db);
    ledger.post = () => Promise.reject(new Error('the disk is full'));
    const failing = creditorOn(stage, { prefix, ledger });
    const all = await Promise.allSettled(
      Array.from({ length: 25 }, (_, index) =>
        credit(invoice, { amount: 1_000_000 }, index % 5 === 4 ? failing : creditorOn(stage, { prefix })),
      ),
    );
    const sequences = all.flatMap((one) => (one.status === 'fulfilled' ? one.value.note.sequence : []));
    expect(sequences.sort((one, other) => one - other)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    expect(await pool()).to.equal(20_000_000);
  });

  it('credit an invoice once beyond nothing, however many requests race for the rest', async () => {
    await used('a', 100);
    const invoice = await invoiced();
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => credit(invoice)));
    expect(all.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    expect(await pool()).to.equal(1_000_000);
  });

  it('are issued once for each reference', async () => {
    await used('a', 100);
    const invoice = await invoiced();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => credit(invoice, { amount: 100_000, reference: 'TICKET-1' })),
    );
    expect(all.filter(({ isNew }) => isNew)).to.have.length(1);
    expect(new Set(all.map(({ note }) => note.number)).size).to.equal(1);
    expect(await pool()).to.equal(100_000);
  });

  it('reduce what is due; what was paid already covers the next invoice', async () => {
    await stage.balances.topUp(organization, 400_000, newId(), null);
    await used('a', 100);
    const invoice = await invoiced();
    expect([invoice.balance_net, invoice.due_net, invoice.due_vat]).to.deep.equal([400_000, 600_000, 90_000]);
    await credit(invoice, { amount: 200_000 });
    expect(await again(invoice)).to.include({ status: 'due', outstanding_net: 400_000, outstanding_vat: 60_000 });
    await credit(invoice, { amount: 500_000 });
    expect(await again(invoice)).to.include({ status: 'paid', outstanding_net: 0, outstanding_vat: 0 });
    // Of the 0.40 SAR that were paid in, the invoice keeps 0.30.
    await used('b', 50, '2026-09');
    expect(await invoiced('2026-09')).to.include({ balance_net: 100_000, due_net: 400_000 });
  });

  it('cannot be changed, nor exceed the invoice, in the database itself', async () => {
    await used('a', 100);
    const invoice = await invoiced();
    const { note } = await credit(invoice, { amount: 600_000 });
    expect(await refusal(stage.db.query('UPDATE credit_notes SET net = 1'))).to.match(/never changed or deleted/);
    const { invoice_number: _, invoice_issued_at: __, month: ___, ...row } = note;
    const other = { ...row, id: newId(), number: newId(), sequence: 9_999, reference: newId() };
    const inserted = stage.db.transaction((tx) => new CreditNotes(stage.db).insert(tx, other));
    expect(await refusal(inserted)).to.match(/not credited beyond/);
  });

  it('are listed and read by their own organization, also as PDF in both languages', async () => {
    const reading = new ReadCreditNotes(new CreditNotes(stage.db), new PdfInvoices());
    const routes = [
      ...creditNoteRoutes({ creditNotes: reading }),
      ...invoiceRoutes({ invoices: new ReadInvoices(new Invoices(stage.db), new PdfInvoices()) }),
    ];
    const api = await testApi({ db: stage.db, routes });
    try {
      expect(await routeProblems(api, routes)).to.deep.equal([]);
      expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
      await used('a', 1_000);
      const invoice = await invoiced();
      const { note } = await credit(invoice, { amount: 1_000_000, reason: 'خطأ في الفوترة' });
      const { key } = await api.key({ projectId: stage.ground.projectId });
      const shown = await api.request('GET', `/v1/credit-notes/${note.id}`, { key });
      expect(shown.body).to.deep.include({
        ...{ number: note.number, invoice_id: invoice.id, invoice_number: invoice.number, reason: 'خطأ في الفوترة' },
        ...{ net_sar: 1, vat_percent: 15, vat_sar: 0.15, total_sar: 1.15 },
      });
      const listed = await api.request('GET', `/v1/credit-notes?invoice_id=${invoice.id}`, { key });
      expect(listed.text).to.contain(note.number);
      expect((await api.request('GET', '/v1/credit-notes?invoice_id=nobody', { key })).body).to.deep.include({
        data: [],
      });
      const ofInvoice = await api.request('GET', `/v1/invoices/${invoice.id}`, { key });
      expect(ofInvoice.body).to.deep.include({ due_sar: 11.5, credited_sar: 1.15, outstanding_sar: 10.35 });

      const { texts, qr } = await readPdf(await reading.pdf(note));
      const { name_ar: sellerName, vat_number: vatNumber } = note.seller;
      const { gross, vat, issued_at: issuedAt } = note;
      expect(qr).to.equal(invoiceQr({ sellerName, vatNumber, issuedAt, gross, vat }));
      for (const part of ['Credit note', note.number, invoice.number, '1.15', '0.15'])
        expect(texts.join(' ')).to.contain(part);
      const pdf = await api.request('GET', `/v1/credit-notes/${note.id}/pdf`, { key });
      expect([pdf.status, pdf.headers.get('content-type')]).to.deep.equal([200, 'application/pdf']);

      const stranger = await api.key({ projectId: (await ownerIn(stage.db)).projectId });
      for (const path of [note.id, `${note.id}/pdf`, 'nothing'])
        expect((await api.request('GET', `/v1/credit-notes/${path}`, { key: stranger.key })).status).to.equal(404);
      expect((await api.request('GET', '/v1/credit-notes', { key: stranger.key })).body).to.deep.include({ data: [] });
      const scopeless = await api.key({ projectId: stage.ground.projectId, scopes: ['usage:read'] });
      expect((await api.request('GET', '/v1/credit-notes', { key: scopeless.key })).status).to.equal(403);
    } finally {
      await api.close();
    }
  });

  it('are issued and listed by the operator’s command', async () => {
    const command = await HatifCommand.over(stage.url);
    try {
      await used('a', 1_000);
      const { number } = await invoiced();
      const say = ['--reason', 'goodwill', '--reference', 'T-1', '--line', '1', '--amount', '2.50'];
      const first = await command.run(['invoice', 'credit', number, ...say]);
      expect(first.stdout, first.stderr).to.match(/CN-\d{4}-\d{6} credits 2\.88 SAR of INV-.*0\.38 of it VAT/);
      expect((await command.run(['invoice', 'credit', number, ...say])).stdout).to.contain('was credited already');
      const tooMuch = ['--reason', 'x', '--reference', 'T-2', '--amount', '7.51'];
      expect((await command.run(['invoice', 'credit', number, ...tooMuch])).stderr).to.match(/at most 7\.50 SAR/);
      expect((await command.run(['invoice', 'credit', 'INV-0', ...tooMuch])).code).to.equal(1);
      for (const wrong of [
        ['--line', '0'],
        ['--amount', '-1'],
        ['--amount', '1.234'],
      ])
        expect(
          (await command.run(['invoice', 'credit', number, '--reason', 'x', '--reference', 'y', ...wrong])).code,
        ).to.equal(2);
      const reported = await stage.db.query<{ project_id: string }>(
        `SELECT project_id FROM events WHERE type = 'credit_note.issued' AND organization_id = $1`,
        [organization],
      );
      expect(reported).to.deep.equal([{ project_id: stage.ground.projectId }]);
      expect((await command.run(['invoice', 'credits'])).stdout).to.match(/CN-\d{4}-\d{6}\s+INV-/);
    } finally {
      await command.close();
    }
  });
});
