import { expect } from 'chai';
import type { Challenge } from '../../../core/services/access/proofs-of-work.js';
import { CUSTOMER } from '../../support/stages/call-controller.js';
import { outcome, solved, widgetEach, type WidgetStage } from '../../support/stages/widget-stage.js';

const MINUTE_MS = 60_000;

describe('a click-to-call widget on a page', function () {
  this.timeout(60_000);
  let stage: WidgetStage;
  widgetEach((made) => (stage = made));

  describe('with a proof of work', () => {
    it('accepts each proof once', async () => {
      const { key } = await stage.widget({ captcha: true });
      const captcha = await stage.proof(key);
      await stage.requested(key, { to: CUSTOMER, captcha });
      expect(outcome(await stage.request(key, { to: CUSTOMER, captcha }))).to.equal('400 CAPTCHA_FAILED');
    });

    it('accepts a proof once in concurrent requests', async () => {
      const { key } = await stage.widget({ captcha: true });
      const captcha = await stage.proof(key);
      const answers = await Promise.all([1, 2, 3, 4].map(() => stage.request(key, { to: CUSTOMER, captcha })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 400, 400, 400]);
    });

    it('rejects a missing, wrong or expired proof, and one of another widget', async () => {
      const { key } = await stage.widget({ captcha: true });
      const failed = async (json: object): Promise<void> => {
        expect(outcome(await stage.request(key, { to: CUSTOMER, ...json }))).to.equal('400 CAPTCHA_FAILED');
      };
      await failed({});
      const captcha = await stage.proof(key);
      await failed({ captcha: { ...captcha, number: captcha.number + 1 } });
      await failed({ captcha: { ...captcha, signature: '0'.repeat(64) } });
      await failed({ captcha: { ...captcha, salt: captcha.salt.replace(/expires=\d+/, 'expires=9999999999') } });
      // A forged challenge is easily solved.
      const own = { ...captcha, salt: `${captcha.salt.split('?')[0]}?${captcha.salt.split('?')[1]}x=1&` };
      await failed({ captcha: own });
      await failed({ captcha: await stage.proof((await stage.widget({ captcha: true })).key) });
      await stage.callbacks.clock.advance(10 * MINUTE_MS);
      await failed({ captcha });
      expect(outcome(await stage.request(key, { to: CUSTOMER, captcha: { number: 1 } }))).to.equal(
        '400 VALIDATION_ERROR',
      );
      await stage.requested(key, { to: CUSTOMER, captcha: await stage.proof(key) });
    });

    it('issues challenges that ALTCHA’s own solver can solve', async () => {
      const { solveChallenge } = await import('altcha-lib/v1');
      const { key } = await stage.widget({ captcha: true });
      const { body } = await stage.ask('GET', 'challenge', key);
      const { maxnumber, ...rest } = body as unknown as Challenge;
      const { number } = solved({ maxnumber, ...rest });
      // ALTCHA's solver is slow: start it shortly before the solution.
      const start = Math.max(0, number - 100);
      const theirs = await solveChallenge(rest.challenge, rest.salt, rest.algorithm, maxnumber, start).promise;
      expect(theirs?.number).to.equal(number);
    });
  });
});
