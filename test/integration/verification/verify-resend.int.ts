import { expect } from 'chai';
import { verifyEach, type VerifyStage, wrongCode } from '../../support/stages/verify-stage.js';

describe('the verification API', function () {
  this.timeout(60_000);
  let stage: VerifyStage;
  verifyEach((made) => (stage = made));

  describe('resends', () => {
    it('after 30, 60 and 120 seconds, each time a new code, without resetting the attempts', async () => {
      const { id, code: first } = await stage.started({ expires_in_seconds: 3600 });
      await stage.check(id, wrongCode(first));
      for (const seconds of [30, 60, 120, 120]) {
        await stage.clock.advance((seconds - 1) * 1000);
        const early = await stage.request('POST', `/verify/${id}/resend`);
        expect([early.status, early.body?.error_code]).to.deep.equal([429, 'VERIFY_RATE_LIMITED']);
        expect(early.headers.get('retry-after')).to.equal('1');
        await stage.clock.advance(1000);
        expect(await stage.good('POST', `/verify/${id}/resend`)).to.include({ state: 'pending', attempts_left: 4 });
      }
      expect(stage.sent).to.have.length(5);
      const last = stage.sent.at(-1)!.code;
      if (last !== first) expect(await stage.check(id, first)).to.include({ verified: false });
      expect(await stage.check(id, last)).to.include({ verified: true });
      expect(await stage.good('POST', `/verify/${id}/resend`), 'nothing is sent').to.include({ state: 'verified' });
      expect(stage.sent).to.have.length(5);
    });

    it('one code at a time', async () => {
      const { id } = await stage.started();
      await stage.clock.advance(30_000);
      const answers = await Promise.all([1, 2, 3].map(() => stage.request('POST', `/verify/${id}/resend`)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 429, 429]);
      expect(stage.sent).to.have.length(2);
    });

    it('with the full lifetime', async () => {
      const { id } = await stage.started({ expires_in_seconds: 60 });
      await stage.clock.advance(50_000);
      await stage.good('POST', `/verify/${id}/resend`);
      await stage.clock.advance(50_000);
      expect(await stage.check(id, stage.sent.at(-1)!.code)).to.include({ verified: true });
    });

    it('nothing after too many wrong entries', async () => {
      const { id, code } = await stage.started();
      for (let times = 0; times < 5; times += 1) await stage.check(id, wrongCode(code));
      await stage.clock.advance(30_000);
      expect(await stage.refused('POST', `/verify/${id}/resend`)).to.equal('409 VERIFY_MAX_ATTEMPTS');
    });
  });
});
