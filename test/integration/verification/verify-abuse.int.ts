import { expect } from 'chai';
import { NUMBER, verifyEach, type VerifyStage } from '../../support/stages/verify-stage.js';

describe('the verification API', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  verifyEach((made) => (stage = made));

  describe('limits sending', () => {
    it('to five per recipient in ten minutes', async () => {
      for (let times = 0; times < 5; times += 1) await stage.started();
      const sixth = await stage.request('POST', '/verify', { to: NUMBER, channel: 'sms' });
      expect([sixth.status, sixth.body?.error_code]).to.deep.equal([429, 'VERIFY_RATE_LIMITED']);
      expect(Number(sixth.headers.get('retry-after'))).to.be.within(500, 601);
      await stage.started({ to: '+966501234518' });
      await stage.clock.advance(601_000);
      await stage.started();
    });

    it('per end user, and per block of numbers', async () => {
      Object.assign(stage.rules, { perAddress: 2, perBlock: 3 });
      const to = (last: number, end_user_ip?: string) =>
        stage.request('POST', '/verify', { to: `+96650123451${last}`, channel: 'sms', end_user_ip });
      const statuses = [
        await to(0, '192.0.2.1'),
        await to(1, '192.0.2.1'),
        await to(2, '192.0.2.1'),
        await to(3, '2001:db8::1'),
        await to(4),
      ];
      expect(statuses.map(({ status }) => status)).to.deep.equal([201, 201, 429, 201, 429]);
      await stage.started({ to: '+966559990000' });
    });

    it('to prefixes that are not blocked', async () => {
      expect(await stage.refused('POST', '/verify', { to: '+966599990000', channel: 'sms' })).to.equal(
        '403 VERIFY_BLOCKED',
      );
      expect(stage.sent).to.deep.equal([]);
    });

    it('to blocks whose codes are being entered, and closes pending verifications of others', async () => {
      Object.assign(stage.rules, { fraudSends: 4, fraudPercent: 50 });
      const { id: open } = await stage.started({ to: '+966507770000' });
      const { id, code } = await stage.started({ to: '+966507770001' });
      await stage.check(id, code);
      for (const last of [2, 3, 4]) await stage.started({ to: `+96650777000${last}`, expires_in_seconds: 60 });
      await stage.clock.advance(61_000);
      expect(await stage.refused('POST', '/verify', { to: '+966507770009', channel: 'sms' })).to.equal(
        '403 VERIFY_BLOCKED',
      );
      await stage.started({ to: '+966507780009' });
      const { key } = await stage.api.key();
      await stage.good('POST', '/verify', { to: '+966507770009', channel: 'sms' }, key);

      expect(await stage.refused('POST', `/verify/${open}/resend`)).to.equal('403 VERIFY_BLOCKED');
      expect(await stage.good('GET', `/verify/${open}`)).to.include({ state: 'blocked' });
      expect(await stage.refused('POST', '/verify/check', { verification_id: open, code: '123456' })).to.equal(
        '403 VERIFY_BLOCKED',
      );
      expect((await stage.eventData('verify.completed', open)).map(({ state }) => state)).to.deep.equal(['blocked']);
    });
  });
});
