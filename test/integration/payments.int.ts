import { expect } from 'chai';
import { paymentRoutes } from '../../api/routes/payments.js';
import type { StoredInvoice } from '../../core/data/repositories/invoices.js';
import { newId } from '../../core/model/ids.js';
import { testApi, type Answer, type TestApi } from '../support/api.js';
import { BillingStage } from '../support/billing-stage.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { issuerOn, riyadh } from '../support/invoice-stage.js';
import { IBAN, paymentStage, type PaymentStage } from '../support/payment-stage.js';
import { routeProblems } from '../support/route-contract.js';

const DAY_MS = 86_400_000;

describe('Payments over the API', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let stage: PaymentStage;
  let api: TestApi;
  let organizationId: string;
  let projectId: string;
  let key: string;

  before(async () => (database = await testDatabase()));
  after(() => database.close());
  beforeEach(async () => {
    stage = await paymentStage(database.url);
    api = await testApi({ db: stage.stores.db, routes: paymentRoutes(stage) });
    ({ organizationId, projectId } = await api.owner());
    ({ key } = await api.key({ projectId }));
  });
  afterEach(async () => {
    expect(api.faults).to.deep.equal([]);
    expect(stage.peer.unsigned).to.deep.equal([]);
    await api.close();
    await stage.end();
  });

  const get = (path: string, by = key): Promise<Answer> => api.request('GET', `/v1/payments${path}`, { key: by });
  const post = (path: string, json: object = {}, by = key): Promise<Answer> =>
    api.request('POST', `/v1/payments${path}`, { key: by, json });
  const begin = async (method = 'gateway', amount_sar = 100): Promise<Record<string, unknown> & { id: string }> => {
    const { status, body } = await post('', { amount_sar, method });
    expect(status).to.equal(201);
    return body as Record<string, unknown> & { id: string };
  };
  const codeOf = ({ status, body }: Answer): unknown[] => [status, body?.error_code];
  const statusOf = async (id: string): Promise<unknown> => (await get(`/${id}`)).body?.status;
  const nothingBooked = { pool: 0, vat: 0, payments: 0 };

  it('keeps what every route owes to the contract', async () => {
    expect(await routeProblems(api, paymentRoutes(stage))).to.deep.equal([]);
  });

  it('shows where to transfer the money to, with tax', async () => {
    const payment = await begin('bank_transfer', 99.99);
    expect(payment).to.deep.include({
      status: 'pending',
      amount_sar: 99.99,
      vat_sar: 15,
      total_sar: 114.99,
      paid_sar: null,
      currency: 'SAR',
      transfer_to: { iban: IBAN, account_name: 'Operator LLC' },
      checkout_url: null,
      error_code: null,
      ended_at: null,
    });
    expect(payment.reference).to.match(/^HT[2-9A-HJKMNP-Z]{10}$/);
    expect((await get(`/${payment.id}`)).body).to.deep.equal(payment);
  });

  it('books a bank transfer that the operator confirms, once', async () => {
    const { id, reference } = await begin('bank_transfer');
    const written = String(reference).toLowerCase().replace(/^(ht)/, '$1 ');
    const first = await stage.desk.confirm(written, 115_000_000, 'BANK-1');
    const again = await stage.desk.confirm(String(reference), 115_000_000, 'BANK-1');
    expect([first.isNew, again.isNew]).to.deep.equal([true, false]);
    expect(await stage.balances(organizationId)).to.deep.equal({
      pool: 100_000_000,
      vat: 15_000_000,
      payments: -115_000_000,
    });
    const { body } = await get(`/${id}`);
    expect(body).to.deep.include({ status: 'succeeded', paid_sar: 115, transfer_to: null, error_code: null });
  });

  it('books no other amount than was due, and shows what came; the right one is booked after all', async () => {
    const { id, reference } = await begin('bank_transfer');
    const short = await stage.desk.confirm(String(reference), 100_000_000, null).catch((error: unknown) => error);
    expect(short).to.include({ code: 'PAYMENT_AMOUNT_MISMATCH' });
    expect((short as Error).message)
      .to.contain('100.00')
      .and.to.contain('115.00');
    expect(await stage.balances(organizationId)).to.deep.equal(nothingBooked);
    const shown = { status: 'pending', paid_sar: 100, error_code: 'PAYMENT_AMOUNT_MISMATCH' };
    expect((await get(`/${id}`)).body).to.deep.include(shown);
    await stage.desk.confirm(String(reference), 115_000_000, null);
    expect((await get(`/${id}`)).body).to.deep.include({ status: 'succeeded', paid_sar: 115, error_code: null });
    expect(stage.counted).to.deep.equal(['mismatched bank_transfer', 'ended bank_transfer succeeded']);
  });

  it('tells the customer why the operator refused', async () => {
    const { id, reference } = await begin('bank_transfer');
    await stage.desk.refuse(String(reference), 'of an account that is not yours');
    const shown = { status: 'failed', error_code: 'PAYMENT_FAILED', reason: 'of an account that is not yours' };
    expect((await get(`/${id}`)).body).to.deep.include(shown);
    const unknown = await stage.desk.refuse('HT2222222222', '-').catch((error: unknown) => error);
    expect(unknown).to.include({ code: 'PAYMENT_NOT_FOUND' });
  });

  it('sends the customer to the gateway, and books what it tells', async () => {
    const { id, checkout_url, reference } = await begin();
    expect(checkout_url).to.equal(`https://pay.example/${id}`);
    expect(stage.peer.payments.get(id)).to.include({ amount_halalas: 11_500, reference });
    stage.peer.pay(id);
    expect((await stage.peer.notify(api.url, id)).status).to.equal(204);
    expect((await get(`/${id}`)).body).to.deep.include({ status: 'succeeded', paid_sar: 115, checkout_url: null });
    expect(await stage.balances(organizationId)).to.include({ pool: 100_000_000, vat: 15_000_000 });
  });

  it('hears the same notice twice, and what comes late', async () => {
    const { id } = await begin();
    stage.peer.pay(id);
    await stage.peer.notify(api.url, id);
    expect((await stage.peer.notify(api.url, id)).status).to.equal(204);
    const pending = { id, status: 'pending', amount_halalas: 11_500, currency: 'SAR' };
    expect((await stage.peer.notify(api.url, id, { data: pending })).status).to.equal(204);
    const failed = { ...pending, status: 'failed', reason: 'late' };
    expect((await stage.peer.notify(api.url, id, { data: failed })).status).to.equal(204);
    expect(await statusOf(id)).to.equal('succeeded');
    expect((await stage.balances(organizationId)).pool).to.equal(100_000_000);
  });

  it('credits once what webhook, polls and the operator tell at the same time', async () => {
    const { id, reference } = await begin();
    stage.peer.pay(id);
    stage.pass(60_000);
    const other = stage.other();
    const told = Array.from({ length: 8 }, (_, turn) => [
      stage.peer.notify(api.url, id),
      (turn % 2 === 0 ? stage.work : other.work).work(),
      other.desk.confirm(String(reference), 115_000_000, null),
    ]).flat();
    await Promise.all(told);
    expect(await stage.balances(organizationId)).to.deep.equal({
      pool: 100_000_000,
      vat: 15_000_000,
      payments: -115_000_000,
    });
    expect(stage.counted).to.deep.equal(['ended gateway succeeded']);
  });

  it('refuses what a gateway says that took another amount, again and again, and books nothing', async () => {
    const { id } = await begin();
    stage.peer.pay(id, 11_499);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(codeOf(await stage.peer.notify(api.url, id))).to.deep.equal([422, 'PAYMENT_AMOUNT_MISMATCH']);
    }
    const shown = { status: 'failed', paid_sar: 114.99, error_code: 'PAYMENT_AMOUNT_MISMATCH' };
    expect((await get(`/${id}`)).body).to.deep.include(shown);
    expect(await stage.balances(organizationId)).to.deep.equal(nothingBooked);
    expect(stage.counted).to.deep.equal(['ended gateway failed', 'mismatched gateway']);
  });

  it('says that a payment which the gateway refuses has failed', async () => {
    stage.peer.refuseAll('the limit of the account is reached');
    const answer = await post('', { amount_sar: 100, method: 'gateway' });
    expect(codeOf(answer)).to.deep.equal([402, 'PAYMENT_FAILED']);
    expect(answer.body?.message).to.contain('the limit of the account is reached');
    const { body } = await get('?status=failed');
    expect((body?.data as { error_code: string }[]).map((row) => row.error_code)).to.deep.equal(['PAYMENT_FAILED']);
  });

  it('shows a payment that failed at the gateway', async () => {
    const { id } = await begin();
    stage.peer.fail(id, 'card declined');
    await stage.peer.notify(api.url, id);
    const shown = { status: 'failed', error_code: 'PAYMENT_FAILED', reason: 'card declined' };
    expect((await get(`/${id}`)).body).to.deep.include(shown);
  });

  for (const fault of ['lost_answer', 'lost_request', 'silence', 503, 401] as const) {
    it(`begins a payment as soon as a gateway answers after ${fault}, and makes one there`, async () => {
      stage.peer.failNext('PUT', fault);
      const { id, checkout_url } = await begin();
      expect(checkout_url).to.equal(null);
      stage.pass(16_000);
      await stage.work.work();
      expect((await get(`/${id}`)).body?.checkout_url).to.equal(`https://pay.example/${id}`);
      expect(stage.peer.payments.size).to.equal(1);
      expect(stage.counted).to.deep.equal(['unanswered']);
    });
  }

  it('answers the same payment for the same Idempotency-Key', async () => {
    const json = { amount_sar: 5, method: 'gateway' };
    const headers = { 'idempotency-key': newId() };
    const first = await api.request('POST', '/v1/payments', { key, json, headers });
    const again = await api.request('POST', '/v1/payments', { key, json, headers });
    expect(again.body).to.deep.equal(first.body);
    expect(stage.peer.payments.size).to.equal(1);
    expect(stage.peer.askedOf(String(first.body?.id))).to.deep.equal(['PUT']);
  });

  it('lists the organization’s payments, newest first', async () => {
    const first = await begin('bank_transfer', 1);
    const second = await begin('bank_transfer', 2);
    await post(`/${first.id}/cancel`);
    const page = (await get('?limit=1')).body as unknown as { data: { id: string }[]; next_cursor: string };
    const rest = (await get(`?limit=1&cursor=${page.next_cursor}`)).body;
    expect(page.data.map(({ id }) => id)).to.deep.equal([second.id]);
    expect((rest?.data as { id: string }[]).map(({ id }) => id)).to.deep.equal([first.id]);
    const pending = (await get('?status=pending')).body?.data as { id: string }[];
    expect(pending.map(({ id }) => id)).to.deep.equal([second.id]);
    expect(codeOf(await get('?status=gone'))).to.deep.equal([400, 'VALIDATION_ERROR']);
  });

  describe('of an invoice', () => {
    /** 10 SAR of usage in a month that is over. */
    const invoice = async (): Promise<StoredInvoice> => {
      const billing = await BillingStage.on(database.db, database.url, {
        organizationId,
        projectId,
        engineId: newId(),
      });
      await billing.billing.told.add(
        { organizationId, projectId },
        {
          eventId: newId(),
          type: 'sms',
          quantity: 10,
          unitPrice: 1_000_000,
          occurredAt: riyadh('2026-08-10T12:00:00'),
        },
      );
      await issuerOn(billing).run('2026-08', organizationId, false);
      return (await stage.stores.invoices.ofMonth(organizationId, '2026-08'))!;
    };
    const pay = (invoice_id: string): Promise<Answer> => post('', { invoice_id, method: 'bank_transfer' });

    it('is what is due of it, and pays it once', async () => {
      const { id: invoiceId } = await invoice();
      const { body } = await pay(invoiceId);
      expect(body).to.include({ invoice_id: invoiceId, amount_sar: 10, vat_sar: 1.5, total_sar: 11.5 });
      expect((await stage.stores.invoices.get(organizationId, invoiceId))?.status).to.equal('due');
      const reference = String(body?.reference);
      await Promise.all(Array.from({ length: 4 }, () => stage.desk.confirm(reference, 11_500_000, null)));
      const paid = await stage.stores.invoices.get(organizationId, invoiceId);
      expect(paid).to.include({ status: 'paid', payment_id: body?.id });
      expect(await stage.balances(organizationId)).to.include({ pool: 10_000_000, vat: 1_500_000 });
      const again = await pay(invoiceId);
      expect(codeOf(again)).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(again.body?.details).to.deep.include({
        path: 'invoice_id',
        message: 'is paid already',
        message_ar: 'مدفوعة من قبل',
      });
    });

    it('leaves it unpaid where another amount came', async () => {
      const { id: invoiceId } = await invoice();
      const { body } = await pay(invoiceId);
      const wrong = await stage.desk
        .confirm(String(body?.reference), 10_000_000, null)
        .catch((error: unknown) => error);
      expect(wrong).to.include({ code: 'PAYMENT_AMOUNT_MISMATCH' });
      expect((await stage.stores.invoices.get(organizationId, invoiceId))?.status).to.equal('due');
    });

    it('is begun by one of those who try at once', async () => {
      const { id: invoiceId } = await invoice();
      const answers = await Promise.all(Array.from({ length: 5 }, () => pay(invoiceId)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 400, 400, 400, 400]);
      const begun = answers.find(({ status }) => status === 201);
      await post(`/${String(begun?.body?.id)}/cancel`);
      expect((await pay(invoiceId)).status).to.equal(201);
    });

    it('keeps money that came twice', async () => {
      const { id: invoiceId } = await invoice();
      const first = (await pay(invoiceId)).body;
      await post(`/${String(first?.id)}/cancel`);
      const second = (await pay(invoiceId)).body;
      for (const { reference } of [second!, first!]) await stage.desk.confirm(String(reference), 11_500_000, null);
      expect((await stage.stores.invoices.get(organizationId, invoiceId))?.payment_id).to.equal(second?.id);
      expect((await stage.balances(organizationId)).pool).to.equal(20_000_000);
    });

    it('is not begun for another organization’s, nor for both an invoice and an amount', async () => {
      const { id: invoice_id } = await invoice();
      const stranger = (await api.key()).key;
      const json = { invoice_id, method: 'bank_transfer' };
      expect(codeOf(await post('', json, stranger))).to.deep.equal([404, 'INVOICE_NOT_FOUND']);
      expect(codeOf(await pay(newId()))).to.deep.equal([404, 'INVOICE_NOT_FOUND']);
      expect(codeOf(await post('', { ...json, amount_sar: 5 }))).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(codeOf(await post('', { method: 'bank_transfer' }))).to.deep.equal([400, 'VALIDATION_ERROR']);
    });
  });

  describe('cancelled', () => {
    it('cannot be paid at the gateway any more', async () => {
      const { id } = await begin();
      expect((await post(`/${id}/cancel`)).body).to.include({ status: 'cancelled', checkout_url: null });
      expect(stage.peer.payments.get(id)?.status).to.equal('cancelled');
      expect((await post(`/${id}/cancel`)).body?.status).to.equal('cancelled');
      expect(stage.peer.askedOf(id)).to.deep.equal(['PUT', 'DELETE']);
    });

    it('has succeeded where the customer was faster', async () => {
      const { id } = await begin();
      stage.peer.pay(id);
      expect((await post(`/${id}/cancel`)).body?.status).to.equal('succeeded');
      expect((await stage.balances(organizationId)).pool).to.equal(100_000_000);
    });

    it('says what is wrong where the customer was faster with another amount', async () => {
      const { id } = await begin();
      stage.peer.pay(id, 1);
      expect(codeOf(await post(`/${id}/cancel`))).to.deep.equal([422, 'PAYMENT_AMOUNT_MISMATCH']);
      expect(await statusOf(id)).to.equal('failed');
    });

    it('is closed later where the gateway does not answer', async () => {
      const { id } = await begin();
      stage.peer.failNext('DELETE', 500);
      expect((await post(`/${id}/cancel`)).body?.status).to.equal('cancelled');
      expect(stage.peer.payments.get(id)?.status).to.equal('pending');
      await stage.work.work();
      expect(stage.peer.payments.get(id)?.status).to.equal('cancelled');
      stage.pass(DAY_MS);
      await stage.work.work();
      expect(stage.peer.askedOf(id)).to.deep.equal(['PUT', 'DELETE']);
      expect(await statusOf(id)).to.equal('cancelled');
    });

    it('is booked all the same when the money comes', async () => {
      const { id } = await begin();
      stage.peer.failNext('DELETE', 'lost_request');
      await post(`/${id}/cancel`);
      stage.peer.pay(id);
      await stage.work.work();
      expect(await statusOf(id)).to.equal('succeeded');
      expect((await stage.balances(organizationId)).pool).to.equal(100_000_000);
    });
  });

  describe('that nothing is heard of', () => {
    it('is asked for, and booked', async () => {
      const { id } = await begin();
      stage.peer.pay(id);
      stage.pass(16_000);
      await stage.work.work();
      expect(await statusOf(id)).to.equal('succeeded');
      expect(stage.peer.askedOf(id)).to.deep.equal(['PUT', 'GET']);
    });

    it('is asked for less and less often', async () => {
      const { id } = await begin();
      for (let second = 0; second < 3600; second += 5) {
        stage.pass(5_000);
        await stage.work.work();
      }
      expect(stage.peer.askedOf(id).filter((asked) => asked === 'GET').length).to.be.within(5, 10);
    });

    it('expires, and cannot be paid any more', async () => {
      const atGateway = await begin();
      const transfer = await begin('bank_transfer');
      stage.pass(DAY_MS + 1);
      await stage.work.work();
      expect(await statusOf(atGateway.id)).to.equal('expired');
      expect(stage.peer.payments.get(atGateway.id)?.status).to.equal('cancelled');
      expect(await statusOf(transfer.id)).to.equal('pending');
      stage.pass(14 * DAY_MS);
      await stage.work.work();
      expect(await statusOf(transfer.id)).to.equal('expired');
    });

    it('is booked where it was paid in the last moment, and a late transfer too', async () => {
      const { id } = await begin();
      const { id: late, reference } = await begin('bank_transfer', 10);
      stage.peer.pay(id);
      stage.pass(15 * DAY_MS);
      await stage.work.work();
      expect([await statusOf(id), await statusOf(late)]).to.deep.equal(['succeeded', 'expired']);
      await stage.desk.confirm(String(reference), 11_500_000, null);
      expect(await statusOf(late)).to.equal('succeeded');
      expect((await stage.balances(organizationId)).pool).to.equal(110_000_000);
    });

    it('expires where the gateway is gone for good', async () => {
      const { id } = await begin();
      stage.pass(9 * DAY_MS);
      stage.peer.failNext('DELETE', 503);
      await stage.work.work();
      expect(await statusOf(id)).to.equal('expired');
    });

    it('is not booked where another amount was paid', async () => {
      const { id } = await begin();
      stage.peer.pay(id, 11_501);
      stage.pass(16_000);
      await stage.work.work();
      expect(await statusOf(id)).to.equal('failed');
      expect(await stage.balances(organizationId)).to.deep.equal(nothingBooked);
    });
  });

  describe('events', () => {
    it('tell of money that came and of payments that came to nothing', async () => {
      const good = await begin();
      const bad = await begin();
      stage.peer.pay(good.id);
      stage.peer.fail(bad.id, 'no');
      await stage.peer.notify(api.url, good.id);
      await stage.peer.notify(api.url, good.id);
      await stage.peer.notify(api.url, bad.id);
      const events = await stage.stores.db.query<{ type: string; data: Record<string, unknown>; project_id: string }>(
        `SELECT type, data, project_id FROM events WHERE project_id = $1 ORDER BY id`,
        [projectId],
      );
      expect(events.map(({ type, data }) => [type, data.id, data.status, data.total_sar])).to.deep.equal([
        ['payment.succeeded', good.id, 'succeeded', 115],
        ['payment.failed', bad.id, 'failed', 115],
      ]);
    });
  });

  describe('notices', () => {
    it('that are not signed as agreed, or are old, are not heard', async () => {
      const { id } = await begin();
      stage.peer.pay(id);
      const other = `whsec_${Buffer.from('a secret that nobody agreed on, ever').toString('base64')}`;
      for (const changes of [
        { secret: other },
        { at: new Date(Date.now() - 301_000) },
        { at: new Date(Date.now() + 301_000) },
        { headers: { 'webhook-signature': 'v1' } },
        { headers: { 'webhook-signature': '' } },
        { headers: { 'webhook-id': 'msg_another' } },
        { headers: { 'webhook-timestamp': 'soon' } },
      ]) {
        const answer = await stage.peer.notify(api.url, id, changes);
        expect(codeOf(answer), JSON.stringify(changes)).to.deep.equal([401, 'WEBHOOK_UNAUTHORIZED']);
      }
      const plain = await api.request('POST', '/v1/payments/webhook', { json: { type: 'payment.updated' } });
      expect(codeOf(plain)).to.deep.equal([401, 'WEBHOOK_UNAUTHORIZED']);
      expect(await statusOf(id)).to.equal('pending');
    });

    it('that cannot be read are refused', async () => {
      const { id } = await begin();
      const sound = { id, status: 'succeeded', amount_halalas: 11_500, currency: 'SAR' };
      for (const changes of [
        { body: '{' },
        { body: '[]' },
        { data: { ...sound, currency: 'USD' } },
        { data: { ...sound, amount_halalas: 115.5 } },
        { data: { ...sound, amount_halalas: '11500' } },
        { data: { ...sound, status: 'paid' } },
        { data: { ...sound, id: 'x' } },
      ]) {
        const answer = await stage.peer.notify(api.url, id, changes);
        expect(codeOf(answer), JSON.stringify(changes)).to.deep.equal([400, 'WEBHOOK_PAYLOAD_INVALID']);
      }
      expect(await statusOf(id)).to.equal('pending');
      expect((await stage.peer.notify(api.url, id, { type: 'payout.made' })).status).to.equal(204);
    });

    it('tell only of payments that the gateway has', async () => {
      const transfer = await begin('bank_transfer');
      for (const id of [newId(), transfer.id]) {
        const data = { id, status: 'succeeded', amount_halalas: 11_500, currency: 'SAR' };
        const answer = await stage.peer.notify(api.url, id, { data });
        expect(codeOf(answer)).to.deep.equal([404, 'PAYMENT_NOT_FOUND']);
      }
      expect(await statusOf(transfer.id)).to.equal('pending');
    });
  });

  for (const [what, json] of [
    ['nothing', { amount_sar: 0, method: 'gateway' }],
    ['a part of a halala', { amount_sar: 1.001, method: 'gateway' }],
    ['more than is believable', { amount_sar: 1_000_000.01, method: 'gateway' }],
    ['an amount in words', { amount_sar: '5', method: 'gateway' }],
    ['another way', { amount_sar: 5, method: 'cash' }],
    ['a page that is none', { amount_sar: 5, method: 'gateway', return_url: 'javascript:alert(1)' }],
    ['a page without TLS', { amount_sar: 5, method: 'gateway', return_url: 'http://shop.example' }],
  ] as const) {
    it(`is not begun for ${what}`, async () => {
      expect(codeOf(await post('', json))).to.deep.equal([400, 'VALIDATION_ERROR']);
      expect(stage.peer.payments.size).to.equal(0);
    });
  }

  it('is the organization’s own, for production keys that may', async () => {
    const { id } = await begin('bank_transfer');
    const stranger = (await api.key()).key;
    for (const answer of [await get(`/${id}`, stranger), await post(`/${id}/cancel`, {}, stranger)]) {
      expect(codeOf(answer)).to.deep.equal([404, 'PAYMENT_NOT_FOUND']);
    }
    expect((await get('', stranger)).body?.data).to.deep.equal([]);
    expect(codeOf(await get('/none'))).to.deep.equal([404, 'PAYMENT_NOT_FOUND']);
    const reader = await api.key({ projectId, scopes: ['billing:read'] });
    expect(codeOf(await post(`/${id}/cancel`, {}, reader.key))).to.deep.equal([403, 'INSUFFICIENT_PERMISSIONS']);
    expect(await statusOf(id)).to.equal('pending');
  });

  it('is not offered where the operator has set up nothing, and nobody can tell of any', async () => {
    const nothing = { PAYMENT_IBAN: '', PAYMENT_ACCOUNT_NAME: '', PAYMENT_GATEWAY_URL: '', PAYMENT_GATEWAY_SECRET: '' };
    const bare = await paymentStage(database.url, nothing);
    const bareApi = await testApi({ db: bare.stores.db, routes: paymentRoutes(bare) });
    for (const method of ['bank_transfer', 'gateway']) {
      const answer = await bareApi.request('POST', '/v1/payments', { key, json: { amount_sar: 5, method } });
      expect(codeOf(answer)).to.deep.equal([400, 'VALIDATION_ERROR']);
    }
    const { id } = await begin();
    stage.peer.pay(id);
    expect(codeOf(await stage.peer.notify(bareApi.url, id))).to.deep.equal([401, 'WEBHOOK_UNAUTHORIZED']);
    await bareApi.close();
    await bare.end();
  });
});
