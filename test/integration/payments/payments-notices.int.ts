import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { codeOf, paymentApiEach, type PaymentApiStage } from '../../support/stages/billing/payment-api-stage.js';

describe('Payments over the API', function () {
  this.timeout(30_000);
  let stage: PaymentApiStage;
  paymentApiEach((made) => (stage = made));

  it('accepts duplicate and late notices', async () => {
    const { id } = await stage.begin();
    stage.peer.pay(id);
    await stage.peer.notify(stage.api.url, id);
    expect((await stage.peer.notify(stage.api.url, id)).status).to.equal(204);
    const pending = { id, status: 'pending', amount_halalas: 11_500, currency: 'SAR' };
    expect((await stage.peer.notify(stage.api.url, id, { data: pending })).status).to.equal(204);
    const failed = { ...pending, status: 'failed', reason: 'late' };
    expect((await stage.peer.notify(stage.api.url, id, { data: failed })).status).to.equal(204);
    expect(await stage.statusOf(id)).to.equal('succeeded');
    expect((await stage.balances(stage.organizationId)).pool).to.equal(100_000_000);
  });

  describe('notices', () => {
    it('with an invalid signature or an old timestamp are rejected', async () => {
      const { id } = await stage.begin();
      stage.peer.pay(id);
      const other = `whsec_${Buffer.from('a secret that nobody agreed on, ever').toString('base64')}`;
      for (const changes of [
        { secret: other },
        { at: new Date(Date.now() - 301_000) },
        // One minute above the limit, because time passes until the notice is received.
        { at: new Date(Date.now() + 360_000) },
        { headers: { 'webhook-signature': 'v1' } },
        { headers: { 'webhook-signature': '' } },
        { headers: { 'webhook-id': 'msg_another' } },
        { headers: { 'webhook-timestamp': 'soon' } },
      ]) {
        const answer = await stage.peer.notify(stage.api.url, id, changes);
        expect(codeOf(answer), JSON.stringify(changes)).to.deep.equal([401, 'WEBHOOK_UNAUTHORIZED']);
      }
      const plain = await stage.api.request('POST', '/v1/payments/webhook', { json: { type: 'payment.updated' } });
      expect(codeOf(plain)).to.deep.equal([401, 'WEBHOOK_UNAUTHORIZED']);
      expect(await stage.statusOf(id)).to.equal('pending');
    });

    it('that cannot be parsed are rejected', async () => {
      const { id } = await stage.begin();
      const valid = { id, status: 'succeeded', amount_halalas: 11_500, currency: 'SAR' };
      for (const changes of [
        { body: '{' },
        { body: '[]' },
        { data: { ...valid, currency: 'USD' } },
        { data: { ...valid, amount_halalas: 115.5 } },
        { data: { ...valid, amount_halalas: '11500' } },
        { data: { ...valid, status: 'paid' } },
        { data: { ...valid, id: 'x' } },
        { data: { ...valid, gateway_id: 'a\0' } },
        { data: { ...valid, status: 'failed', reason: 'no\0' } },
      ]) {
        const answer = await stage.peer.notify(stage.api.url, id, changes);
        expect(codeOf(answer), JSON.stringify(changes)).to.deep.equal([400, 'WEBHOOK_PAYLOAD_INVALID']);
      }
      expect(await stage.statusOf(id)).to.equal('pending');
      expect((await stage.peer.notify(stage.api.url, id, { type: 'payout.made' })).status).to.equal(204);
    });

    it('apply only to payments made through the gateway', async () => {
      const transfer = await stage.begin('bank_transfer');
      for (const id of [newId(), transfer.id]) {
        const data = { id, status: 'succeeded', amount_halalas: 11_500, currency: 'SAR' };
        const answer = await stage.peer.notify(stage.api.url, id, { data });
        expect(codeOf(answer)).to.deep.equal([404, 'PAYMENT_NOT_FOUND']);
      }
      expect(await stage.statusOf(transfer.id)).to.equal('pending');
    });
  });
});
