import { expect } from 'chai';
import { invoiceRoutes } from '../../../api/routes/billing/invoices.js';
import { PdfInvoices } from '../../../adapters/documents/invoice-pdf.js';
import { Invoices } from '../../../core/data/repositories/billing/invoices.js';
import { newId } from '../../../core/model/ids.js';
import { ReadInvoices } from '../../../core/services/invoices/reading.js';
import { openApiDocument } from '../../../api/http/openapi.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { billingEach, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { issuerOn, riyadh, SELLER } from '../../support/stages/billing/invoice-stage.js';
import { readPdf } from '../../support/judges/pdf.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';

describe('Invoices over the API', function () {
  this.timeout(60_000);
  let stage: BillingStage;
  let invoices: Invoices;
  let api: TestApi;
  let key: string;

  billingEach((made) => (stage = made));
  beforeEach(async () => {
    invoices = new Invoices(stage.db);
    api = await testApi({ db: stage.db, routes: routes() });
    ({ key } = await api.key({ projectId: stage.ground.projectId }));
  });
  afterEach(async () => {
    await api.close();
    expect(api.faults).to.deep.equal([]);
  });

  const routes = () => invoiceRoutes({ invoices: new ReadInvoices(invoices, new PdfInvoices()) });
  const get = (path: string, as = key): Promise<Answer> => api.request('GET', `/v1/invoices${path}`, { key: as });
  const idOf = async (month: string): Promise<string> =>
    (await invoices.ofMonth(stage.ground.organizationId, month))?.id ?? '';

  /** Issues an invoice of two riyals for each of these months. */
  async function issued(...months: string[]): Promise<void> {
    for (const month of months) {
      const { organizationId, projectId } = stage.ground;
      const what = { eventId: newId(), type: 'sms.segment', quantity: 4, unitPrice: 500_000 };
      await stage.billing.reportedUsage.add(
        { organizationId, projectId },
        { ...what, occurredAt: riyadh(`${month}-10T12:00:00`) },
      );
      await issuerOn(stage).run(month, organizationId, false);
    }
  }

  it('conforms to the OpenAPI contract on every route', async () => {
    expect(await routeProblems(api, routes())).to.deep.equal([]);
    const document = openApiDocument({ routes: routes(), version: '1', serverUrl: '' });
    expect(documentProblems(document, routes())).to.deep.equal([]);
  });

  it('shows an invoice with its lines', async () => {
    await stage.balances.topUp(stage.ground.organizationId, 500_000, newId(), null);
    await issued('2026-08');
    const id = await idOf('2026-08');
    const { status, body } = await get(`/${id}`);
    expect(status).to.equal(200);
    const { number, issued_at, lines, buyer, ...rest } = body!;
    expect(number).to.match(/^INV-\d{4}-\d{6}$/);
    expect(issued_at).to.be.a('string');
    expect(buyer).to.have.property('name');
    expect(rest).to.deep.equal({
      id,
      month: '2026-08',
      status: 'due',
      net_sar: 2,
      vat_percent: 15,
      vat_sar: 0.3,
      total_sar: 2.3,
      paid_from_balance_sar: 0.58,
      due_sar: 1.72,
      credited_sar: 0,
      outstanding_sar: 1.72,
      payment_id: null,
      paid_at: null,
      currency: 'SAR',
      seller: SELLER,
    });
    const [line, ...others] = lines as Record<string, unknown>[];
    expect(others).to.deep.equal([]);
    expect(line).to.deep.equal({
      month: '2026-08',
      project_id: stage.ground.projectId,
      project_name: line?.project_name,
      kind: 'usage',
      direction: null,
      call_kind: null,
      usage_type: 'sms.segment',
      quantity: 4,
      minutes: null,
      amount_sar: 2,
    });
  });

  it('lists the organization’s invoices, newest first, by month and by payment status', async () => {
    await issued('2026-07', '2026-08', '2026-09');
    const paid = await idOf('2026-08');
    await stage.db.transaction((tx) => invoices.markPaid(tx, paid, newId(), new Date()));
    const months = async (query: string): Promise<unknown[]> => {
      const { body } = await get(query);
      return (body as unknown as { data: { month: unknown }[] }).data.map(({ month }) => month);
    };
    expect(await months('')).to.deep.equal(['2026-09', '2026-08', '2026-07']);
    expect(await months('?month=2026-07')).to.deep.equal(['2026-07']);
    expect(await months('?status=paid')).to.deep.equal(['2026-08']);
    expect(await months('?status=due')).to.deep.equal(['2026-09', '2026-07']);
    const first = await get('?limit=2');
    expect(await months(`?limit=2&cursor=${String(first.body?.next_cursor)}`)).to.deep.equal(['2026-07']);
    const item = (first.body as unknown as { data: object[] }).data[0];
    expect(item).not.to.have.property('lines');
    expect((await get(`/${paid}`)).body).to.include({ status: 'paid' });
  });

  for (const query of ['?month=2026', '?month=2026-13', '?status=open', '?limit=0', '?cursor=x']) {
    it(`rejects ${query}`, async () => {
      const { status, body } = await get(query);
      expect([status, body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    });
  }

  it('sends the invoice as a PDF named after its number', async () => {
    await issued('2026-08');
    const id = await idOf('2026-08');
    const response = await fetch(`${api.url}/v1/invoices/${id}/pdf`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(response.status).to.equal(200);
    const { number } = (await get(`/${id}`)).body as unknown as { number: string };
    expect(response.headers.get('content-type')).to.equal('application/pdf');
    expect(response.headers.get('content-disposition')).to.equal(`attachment; filename="${number}.pdf"`);
    expect(response.headers.get('cache-control')).to.contain('no-store');
    const { texts, qr } = await readPdf(new Uint8Array(await response.arrayBuffer()));
    expect(texts).to.include.members([number, '2.30', '0.30']);
    expect(Buffer.from(qr ?? '', 'base64').toString())
      .to.contain(SELLER.name_ar)
      .and.to.contain('2.30');
  });

  it('does not find invoices of other organizations or unknown ones', async () => {
    await issued('2026-08');
    const other = await api.key({ projectId: (await api.owner()).projectId });
    expect((await get('', other.key)).body).to.deep.include({ data: [] });
    for (const [path, as] of [
      [`/${await idOf('2026-08')}`, other.key],
      [`/${await idOf('2026-08')}/pdf`, other.key],
      [`/${newId()}`, key],
      [`/${newId()}/pdf`, key],
      ['/INV-2026-000001', key],
    ] as const) {
      const { status, body } = await get(path, as);
      expect([status, body?.error_code], path).to.deep.equal([404, 'INVOICE_NOT_FOUND']);
    }
  });

  it('requires a key that may read invoices, and shows a sandbox key none', async () => {
    const sandbox = await api.key({ projectId: stage.ground.projectId, kind: 'sandbox' });
    expect((await get('', sandbox.key)).body?.data).to.deep.equal([]);
    const { data } = (await get('', key)).body as { data: { id: string }[] };
    for (const { id } of data) {
      expect((await get(`/${id}`, sandbox.key)).body?.error_code).to.equal('INVOICE_NOT_FOUND');
      expect((await get(`/${id}/pdf`, sandbox.key)).body?.error_code).to.equal('INVOICE_NOT_FOUND');
    }
    const caller = await api.key({ projectId: stage.ground.projectId, scopes: ['calls:read'] });
    for (const path of ['', `/${newId()}`, `/${newId()}/pdf`]) {
      expect((await get(path, caller.key)).body?.error_code).to.equal('INSUFFICIENT_PERMISSIONS');
      expect((await get(path, 'no-key')).status).to.equal(401);
    }
  });
});
