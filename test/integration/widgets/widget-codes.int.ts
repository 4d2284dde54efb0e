import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import { CUSTOMER } from '../../support/stages/call-controller.js';
import { outcome, widgetEach, type WidgetStage } from '../../support/stages/widget-stage.js';

const MINUTE_MS = 60_000;

describe('a click-to-call widget on a page', function () {
  this.timeout(60_000);
  let stage: WidgetStage;
  widgetEach((made) => (stage = made));

  describe('with verification of the telephone number', () => {
    const send = (key: string, json: object = {}): Promise<Answer> =>
      stage.ask('POST', 'otp', key, { to: CUSTOMER, language: 'en', ...json });
    async function sent(key: string, json: object = {}): Promise<string> {
      const answer = await send(key, json);
      expect(answer.status, answer.text).to.equal(202);
      return String(answer.body?.otp_id);
    }
    const enter = (key: string, id: string, code: string, to = CUSTOMER): Promise<Answer> =>
      stage.request(key, { to, otp: { id, code } });
    const another = (code: string): string => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`;

    it('accepts a request with a code spoken in a call', async () => {
      const { key } = await stage.widget({ otp: true, captcha: true });
      expect(outcome(await send(key))).to.equal('400 CAPTCHA_FAILED');
      const answer = await send(key, { captcha: await stage.proof(key) });
      expect(answer.body).to.include({ to_masked: '+96650••••17', code_length: 6, resend_after_seconds: 30 });
      const code = await stage.spokenCode('en');
      expect(code).to.match(/^\d{6}$/);
      expect(answer.text).not.to.contain(code);
      expect(outcome(await stage.request(key, { to: CUSTOMER }))).to.equal('400 VALIDATION_ERROR');
      const arabic = code.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
      const made = await enter(key, String(answer.body?.otp_id), arabic);
      expect(outcome(made)).to.equal('202 initiated');
      await stage.callbacks.phones.untilBothAnswered(String(made.body?.callback_id));
      expect(outcome(await enter(key, String(answer.body?.otp_id), code))).to.equal('400 OTP_INVALID');
    });

    it('rejects a wrong code, five times', async () => {
      const { key } = await stage.widget({ otp: true });
      const id = await sent(key);
      const code = await stage.spokenCode('en');
      for (const left of [4, 3, 2, 1]) {
        const answer = await enter(key, id, another(code));
        expect(outcome(answer)).to.equal('400 OTP_INVALID');
        expect(answer.body?.message).to.contain(`attempts left: ${left}`);
      }
      expect(outcome(await enter(key, id, another(code)))).to.equal('409 OTP_TOO_MANY_ATTEMPTS');
      expect(outcome(await enter(key, id, code))).to.equal('409 OTP_TOO_MANY_ATTEMPTS');
      expect(outcome(await enter(key, id, '12'))).to.equal('400 VALIDATION_ERROR');
    });

    it('accepts one request when the correct code is entered concurrently', async () => {
      const { key } = await stage.widget({ otp: true });
      const id = await sent(key);
      const code = await stage.spokenCode('en');
      const answers = await Promise.all([1, 2, 3, 4].map(() => enter(key, id, code)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 400, 400, 400]);
    });

    it('rejects a code of another number or another widget, and an unknown code', async () => {
      const { key } = await stage.widget({ otp: true });
      const other = await stage.widget({ otp: true });
      const id = await sent(key);
      const code = await stage.spokenCode('en');
      expect(outcome(await enter(key, id, code, '+966501234518'))).to.equal('400 OTP_INVALID');
      expect(outcome(await enter(other.key, id, code))).to.equal('400 OTP_INVALID');
      expect(outcome(await enter(key, newId(), code))).to.equal('400 OTP_INVALID');
      expect(outcome(await enter(key, id, code))).to.equal('202 initiated');
    });

    it('rejects an expired code', async () => {
      const { key } = await stage.widget({ otp: true });
      const id = await sent(key);
      const code = await stage.spokenCode('en');
      await stage.callbacks.clock.advance(6 * MINUTE_MS);
      expect(outcome(await enter(key, id, code))).to.equal('410 OTP_EXPIRED');
      expect(outcome(await enter(key, id, code))).to.equal('410 OTP_EXPIRED');
    });

    it('resends a code after a while, which invalidates the previous one', async () => {
      const { key } = await stage.widget({ otp: true });
      const id = await sent(key);
      const soon = await send(key);
      expect(outcome(soon)).to.equal('429 OTP_RESEND_TOO_SOON');
      expect(Number(soon.headers.get('retry-after'))).to.be.within(25, 30);
      const first = await stage.spokenCode('en');
      await stage.callbacks.clock.advance(31_000);
      const answer = await send(key);
      expect(answer.body).to.include({ otp_id: id, resend_after_seconds: 60 });
      const second = await stage.spokenCode('en');
      if (first !== second) expect(outcome(await enter(key, id, first))).to.equal('400 OTP_INVALID');
      expect(outcome(await enter(key, id, second))).to.equal('202 initiated');
    });

    it('sends one code for concurrent requests', async () => {
      const { key } = await stage.widget({ otp: true });
      const answers = await Promise.all([1, 2, 3].map(() => send(key)));
      expect(answers.map(outcome).filter((one) => one.startsWith('429'))).to.have.length(2);
      expect(answers.filter(({ status }) => status === 202)).to.have.length(1);
    });

    it('sends no code if sending fails or is not allowed', async () => {
      const { key, id } = await stage.widget({ otp: true });
      stage.away.voice = true;
      expect(outcome(await send(key))).to.equal('502 OTP_SEND_FAILED');
      stage.away.voice = false;
      await stage.callbacks.database.db.query(`UPDATE engines SET status = 'unreachable'`);
      expect(outcome(await send(key))).to.equal('502 OTP_SEND_FAILED');
      expect(outcome(await send(key, { to: '+966599991234' }))).to.equal('400 INVALID_PHONE_NUMBER');
      expect(outcome(await send(key, { to: '911' }))).to.equal('400 INVALID_PHONE_NUMBER');
      const codes = `SELECT 1 FROM one_time_codes WHERE purpose LIKE $1`;
      expect(await stage.callbacks.database.db.query(codes, [`widget:${id}%`])).to.deep.equal([]);
    });

    it('limits the number of codes', async () => {
      const { key } = await stage.widget({ otp: true });
      await sent(key);
      await stage.callbacks.clock.advance(31_000);
      await sent(key);
      await stage.callbacks.clock.advance(61_000);
      expect(outcome(await send(key))).to.equal('429 RATE_LIMIT_EXCEEDED');
    });

    it('accepts zeros in the sandbox, and only the sandbox’s numbers', async () => {
      const { key } = await stage.widget({ otp: true, sandbox: true });
      expect(outcome(await send(key))).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      const to = '+966500000001';
      const made = await enter(key, await sent(key, { to }), '000000', to);
      expect(outcome(made)).to.equal('202 initiated');
    });
  });
});
