import { expect } from 'chai';
import {
  codeOf,
  NOTHING_BOOKED,
  paymentApiEach,
  type PaymentApiStage,
} from '../../support/stages/billing/payment-api-stage.js';

describe('Payments over the API', function () {
  this.timeout(30_000);
  let stage: PaymentApiStage;
  paymentApiEach((made) => (stage = made));

  it('sends the customer to the gateway, and posts the payment that the gateway reports', async () => {
    const { id, checkout_url, reference } = await stage.begin();
    expect(checkout_url).to.equal(`https://pay.example/${id}`);
    expect(stage.peer.payments.get(id)).to.include({ amount_halalas: 11_500, reference });
    stage.peer.pay(id);
    expect((await stage.peer.notify(stage.api.url, id)).status).to.equal(204);
    expect((await stage.get(`/${id}`)).body).to.deep.include({
      status: 'succeeded',
      paid_sar: 115,
      checkout_url: null,
    });
    expect(await stage.balances(stage.organizationId)).to.include({ pool: 100_000_000, vat: 15_000_000 });
  });

  it('posts a payment once if webhooks, polls and the operator report it concurrently', async () => {
    const { id, reference } = await stage.begin();
    stage.peer.pay(id);
    stage.pass(60_000);
    const other = stage.other();
    const attempts = Array.from({ length: 8 }, (_, turn) => [
      stage.peer.notify(stage.api.url, id),
      (turn % 2 === 0 ? stage.poller : other.poller).run(),
      other.administration.confirm(String(reference), 115_000_000, null),
    ]).flat();
    await Promise.all(attempts);
    expect(await stage.balances(stage.organizationId)).to.deep.equal({
      pool: 100_000_000,
      vat: 15_000_000,
      payments: -115_000_000,
    });
    expect(stage.counted).to.deep.equal(['ended gateway succeeded']);
  });

  it('rejects notices of a different amount, repeatedly, and posts nothing', async () => {
    const { id } = await stage.begin();
    stage.peer.pay(id, 11_499);
    for (let turn = 0; turn < 2; turn += 1) {
      expect(codeOf(await stage.peer.notify(stage.api.url, id))).to.deep.equal([422, 'PAYMENT_AMOUNT_MISMATCH']);
    }
    const shown = { status: 'failed', paid_sar: 114.99, error_code: 'PAYMENT_AMOUNT_MISMATCH' };
    expect((await stage.get(`/${id}`)).body).to.deep.include(shown);
    expect(await stage.balances(stage.organizationId)).to.deep.equal(NOTHING_BOOKED);
    expect(stage.counted).to.deep.equal(['ended gateway failed', 'mismatched gateway']);
  });

  it('reports that a payment rejected by the gateway has failed', async () => {
    stage.peer.refuseAll('the limit of the account is reached');
    const answer = await stage.post('', { amount_sar: 100, method: 'gateway' });
    expect(codeOf(answer)).to.deep.equal([402, 'PAYMENT_FAILED']);
    expect(answer.body?.message).to.contain('the limit of the account is reached');
    const { body } = await stage.get('?status=failed');
    expect((body?.data as { error_code: string }[]).map((row) => row.error_code)).to.deep.equal(['PAYMENT_FAILED']);
  });

  it('shows a payment that failed at the gateway', async () => {
    const { id } = await stage.begin();
    stage.peer.fail(id, 'card declined');
    await stage.peer.notify(stage.api.url, id);
    const shown = { status: 'failed', error_code: 'PAYMENT_FAILED', reason: 'card declined' };
    expect((await stage.get(`/${id}`)).body).to.deep.include(shown);
  });

  for (const fault of ['lost_answer', 'lost_request', 'silence', 503, 401] as const) {
    it(`starts a payment when the gateway answers again after ${fault}, and creates it there once`, async () => {
      stage.peer.failNext('PUT', fault);
      const { id, checkout_url } = await stage.begin();
      expect(checkout_url).to.equal(null);
      stage.pass(16_000);
      await stage.poller.run();
      expect((await stage.get(`/${id}`)).body?.checkout_url).to.equal(`https://pay.example/${id}`);
      expect(stage.peer.payments.size).to.equal(1);
      expect(stage.counted).to.deep.equal(['unanswered']);
    });
  }

  describe('events', () => {
    it('report successful and failed payments', async () => {
      const good = await stage.begin();
      const bad = await stage.begin();
      stage.peer.pay(good.id);
      stage.peer.fail(bad.id, 'no');
      await stage.peer.notify(stage.api.url, good.id);
      await stage.peer.notify(stage.api.url, good.id);
      await stage.peer.notify(stage.api.url, bad.id);
      const events = await stage.stores.db.query<{ type: string; data: Record<string, unknown>; project_id: string }>(
        `SELECT type, data, project_id FROM events WHERE project_id = $1 ORDER BY id`,
        [stage.projectId],
      );
      expect(events.map(({ type, data }) => [type, data.id, data.status, data.total_sar])).to.deep.equal([
        ['payment.succeeded', good.id, 'succeeded', 115],
        ['payment.failed', bad.id, 'failed', 115],
      ]);
    });
  });
});
