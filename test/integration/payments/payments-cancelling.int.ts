import { expect } from 'chai';
import { codeOf, paymentApiEach, type PaymentApiStage } from '../../support/stages/billing/payment-api-stage.js';

const DAY_MS = 86_400_000;

describe('Payments over the API', function () {
  this.timeout(30_000);
  let stage: PaymentApiStage;
  paymentApiEach((made) => (stage = made));

  describe('when cancelled', () => {
    it('can no longer be paid at the gateway', async () => {
      const { id } = await stage.begin();
      expect((await stage.post(`/${id}/cancel`)).body).to.include({ status: 'cancelled', checkout_url: null });
      expect(stage.peer.payments.get(id)?.status).to.equal('cancelled');
      expect((await stage.post(`/${id}/cancel`)).body?.status).to.equal('cancelled');
      expect(stage.peer.askedOf(id)).to.deep.equal(['PUT', 'DELETE']);
    });

    it('succeed if the customer paid first', async () => {
      const { id } = await stage.begin();
      stage.peer.pay(id);
      expect((await stage.post(`/${id}/cancel`)).body?.status).to.equal('succeeded');
      expect((await stage.balances(stage.organizationId)).pool).to.equal(100_000_000);
    });

    it('report the mismatch if the customer first paid a different amount', async () => {
      const { id } = await stage.begin();
      stage.peer.pay(id, 1);
      expect(codeOf(await stage.post(`/${id}/cancel`))).to.deep.equal([422, 'PAYMENT_AMOUNT_MISMATCH']);
      expect(await stage.statusOf(id)).to.equal('failed');
    });

    it('are closed later if the gateway does not answer', async () => {
      const { id } = await stage.begin();
      stage.peer.failNext('DELETE', 500);
      expect((await stage.post(`/${id}/cancel`)).body?.status).to.equal('cancelled');
      expect(stage.peer.payments.get(id)?.status).to.equal('pending');
      await stage.poller.run();
      expect(stage.peer.payments.get(id)?.status).to.equal('cancelled');
      stage.pass(DAY_MS);
      await stage.poller.run();
      expect(stage.peer.askedOf(id)).to.deep.equal(['PUT', 'DELETE']);
      expect(await stage.statusOf(id)).to.equal('cancelled');
    });

    it('are still posted when the money arrives', async () => {
      const { id } = await stage.begin();
      stage.peer.failNext('DELETE', 'lost_request');
      await stage.post(`/${id}/cancel`);
      stage.peer.pay(id);
      await stage.poller.run();
      expect(await stage.statusOf(id)).to.equal('succeeded');
      expect((await stage.balances(stage.organizationId)).pool).to.equal(100_000_000);
    });
  });
});
