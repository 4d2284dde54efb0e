import { expect } from 'chai';
import {
  NOTHING_BOOKED,
  paymentApiEach,
  type PaymentApiStage,
} from '../../support/stages/billing/payment-api-stage.js';

const DAY_MS = 86_400_000;

describe('Payments over the API', function () {
  this.timeout(30_000);
  let stage: PaymentApiStage;
  paymentApiEach((made) => (stage = made));

  describe('without a notice', () => {
    it('are polled and posted', async () => {
      const { id } = await stage.begin();
      stage.peer.pay(id);
      stage.pass(16_000);
      await stage.poller.run();
      expect(await stage.statusOf(id)).to.equal('succeeded');
      expect(stage.peer.askedOf(id)).to.deep.equal(['PUT', 'GET']);
    });

    it('are polled at growing intervals', async () => {
      const { id } = await stage.begin();
      for (let second = 0; second < 3600; second += 5) {
        stage.pass(5_000);
        await stage.poller.run();
      }
      expect(stage.peer.askedOf(id).filter((method) => method === 'GET').length).to.be.within(5, 10);
    });

    it('expire, and can no longer be paid', async () => {
      const atGateway = await stage.begin();
      const transfer = await stage.begin('bank_transfer');
      stage.pass(DAY_MS + 1);
      await stage.poller.run();
      expect(await stage.statusOf(atGateway.id)).to.equal('expired');
      expect(stage.peer.payments.get(atGateway.id)?.status).to.equal('cancelled');
      expect(await stage.statusOf(transfer.id)).to.equal('pending');
      stage.pass(14 * DAY_MS);
      await stage.poller.run();
      expect(await stage.statusOf(transfer.id)).to.equal('expired');
    });

    it('are posted if they were paid at the last moment, and so is a late transfer', async () => {
      const { id } = await stage.begin();
      const { id: late, reference } = await stage.begin('bank_transfer', 10);
      stage.peer.pay(id);
      stage.pass(15 * DAY_MS);
      await stage.poller.run();
      expect([await stage.statusOf(id), await stage.statusOf(late)]).to.deep.equal(['succeeded', 'expired']);
      await stage.administration.confirm(String(reference), 11_500_000, null);
      expect(await stage.statusOf(late)).to.equal('succeeded');
      expect((await stage.balances(stage.organizationId)).pool).to.equal(110_000_000);
    });

    it('expire if the gateway never answers again', async () => {
      const { id } = await stage.begin();
      stage.pass(9 * DAY_MS);
      stage.peer.failNext('DELETE', 503);
      await stage.poller.run();
      expect(await stage.statusOf(id)).to.equal('expired');
    });

    it('are not posted if a different amount was paid', async () => {
      const { id } = await stage.begin();
      stage.peer.pay(id, 11_501);
      stage.pass(16_000);
      await stage.poller.run();
      expect(await stage.statusOf(id)).to.equal('failed');
      expect(await stage.balances(stage.organizationId)).to.deep.equal(NOTHING_BOOKED);
    });
  });
});
