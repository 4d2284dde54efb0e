import { expect } from 'chai';
import { verifyEach, type VerifyStage, wrongCode } from '../../support/stages/verify-stage.js';

describe('the verification API', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  verifyEach((made) => (stage = made));

  describe('counts entries', () => {
    it('once for concurrent correct entries', async () => {
      const { id, code } = await stage.started();
      const answers = await Promise.all(Array.from({ length: 8 }, () => stage.check(id, code)));
      expect(answers.filter(({ verified }) => verified)).to.have.length(1);
      expect(await stage.eventData('verify.completed', id)).to.have.length(1);
    });

    it('five times for five concurrent wrong ones', async () => {
      const { id, code } = await stage.started();
      const answers = await Promise.all(Array.from({ length: 5 }, () => stage.check(id, wrongCode(code))));
      expect(answers.filter(({ verified }) => verified)).to.deep.equal([]);
      expect(answers.filter(({ state }) => state === 'failed')).to.have.length(1);
      expect(await stage.good('GET', `/verify/${id}`)).to.include({ state: 'failed', attempts_left: 0 });
      const after = await stage.refused('POST', '/verify/check', { verification_id: id, code });
      expect(after).to.equal('409 VERIFY_MAX_ATTEMPTS');
      expect(await stage.eventData('verify.completed', id)).to.have.length(1);
    });

    it('at most five times for seven concurrent ones', async () => {
      const { id, code } = await stage.started();
      const json = { verification_id: id, code: wrongCode(code) };
      const answers = await Promise.all(Array.from({ length: 7 }, () => stage.request('POST', '/verify/check', json)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 200, 200, 409, 409]);
    });

    it('not at all if the format is invalid', async () => {
      const { id, code } = await stage.started();
      for (const bad of ['12345', '1234567', 'abcdef', '12 456', '', `${code} `, '１２３４５６']) {
        const answer = await stage.refused('POST', '/verify/check', { verification_id: id, code: bad });
        expect(answer, bad).to.equal('400 VERIFY_INVALID_CODE');
      }
      expect(await stage.good('GET', `/verify/${id}`)).to.include({ attempts_left: 5 });
      expect(await stage.check(id, code)).to.include({ verified: true });
    });

    it('not at all after the expiry, which is reported once whether an entry or the sweep recorded it', async () => {
      for (const sweeps of [false, true]) {
        const { id, code } = await stage.started({ expires_in_seconds: 60 });
        await stage.clock.advance(60_000);
        if (sweeps) await stage.expiry.run();
        expect(await stage.good('GET', `/verify/${id}`)).to.include({ state: 'expired', attempts_left: 5 });
        expect(await stage.check(id, code)).to.deep.include({ state: 'expired', verified: false });
        expect(await stage.refused('POST', '/verify/check', { verification_id: id, code })).to.equal(
          '410 VERIFY_EXPIRED',
        );
        expect((await stage.eventData('verify.completed', id)).map(({ state }) => state)).to.deep.equal(['expired']);
        expect(await stage.refused('POST', `/verify/${id}/resend`)).to.equal('410 VERIFY_EXPIRED');
      }
    });

    it('until the last moment', async () => {
      const { id, code } = await stage.started({ expires_in_seconds: 60 });
      await stage.clock.advance(59_999);
      expect(await stage.check(id, code)).to.include({ verified: true });
    });
  });
});
