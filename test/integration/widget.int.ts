import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { Challenge } from '../../core/services/widgets/proofs.js';
import { PAGE, type Answer } from '../support/api.js';
import { CUSTOMER } from '../support/conductor.js';
import { openQueue } from '../support/open-queue.js';
import { solved, widgetEach, type WidgetStage } from '../support/widget-stage.js';

const MINUTE_MS = 60_000;

describe('a click-to-call widget on a page', function () {
  this.timeout(60_000);
  let stage: WidgetStage;
  widgetEach((made) => (stage = made));

  const outcome = ({ status, body }: Answer): string => `${status} ${String(body?.error_code ?? body?.status)}`;
  const request = (key: string, json: object, origin: string | null = PAGE): Promise<Answer> =>
    stage.ask('POST', 'callbacks', key, json, origin);
  async function requested(key: string, json: object = { to: CUSTOMER }): Promise<Record<string, string>> {
    const answer = await request(key, json);
    expect(answer.status, answer.text).to.equal(202);
    return answer.body as Record<string, string>;
  }
  const follow = (
    key: string,
    { callback_id: id, status_token: token }: Record<string, string>,
    after = '',
  ): Promise<Answer> =>
    stage.ask('GET', `callbacks/${id}?token=${encodeURIComponent(String(token))}${after && `&after=${after}`}`, key);

  describe('is told', () => {
    it('how it is shown', async () => {
      const { key } = await stage.widget({ otp: true, language: 'en' });
      const { status, body } = await stage.ask('GET', 'settings', key);
      expect(status).to.equal(200);
      const theme = { accent: null, scheme: 'auto', position: 'end' };
      expect(body).to.deep.equal({ language: 'en', otp: true, captcha: false, sandbox: false, theme });
    });

    it('nothing where its key is wrong, mistyped or revoked', async () => {
      const { key, id, project_id: projectId } = await stage.widget();
      const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;
      expect(outcome(await stage.ask('GET', 'settings', wrong))).to.equal('401 INVALID_API_KEY');
      expect(outcome(await stage.ask('GET', 'settings', stage.callbacks.liveKey))).to.equal('401 INVALID_API_KEY');
      expect(outcome(await stage.ask('GET', `settings?key=${key}`, key))).to.equal('401 INVALID_API_KEY');
      const { liveKey } = stage.callbacks;
      expect((await stage.callbacks.api.request('DELETE', `/v1/widgets/${id}`, { key: liveKey })).status).to.equal(204);
      expect(projectId).to.equal(stage.callbacks.phones.ground.projectId);
      expect(outcome(await request(key, { to: CUSTOMER }))).to.equal('401 REVOKED_API_KEY');
    });
  });

  describe('of another origin', () => {
    const cors = ({ headers }: Answer): string | null => headers.get('access-control-allow-origin');
    const preflight = (path: string, origin: string, method = 'POST'): Promise<Answer> =>
      stage.callbacks.api.request('OPTIONS', path, {
        headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
      });

    it('is let in where the widget lists it, and told so', async () => {
      const { key } = await stage.widget({ allowed_origins: [PAGE, 'https://*.shop.example:8443'] });
      for (const origin of [PAGE, 'https://www.shop.example:8443', 'https://a.b.shop.example:8443']) {
        const answer = await stage.ask('GET', 'settings', key, undefined, origin);
        expect([answer.status, cors(answer), answer.headers.get('vary')]).to.deep.equal([200, origin, 'Origin']);
        const asked = await preflight(`/v1/widget/callbacks?key=${key}`, origin);
        expect([asked.status, cors(asked), asked.headers.get('access-control-allow-methods')]).to.deep.equal([
          204,
          origin,
          'POST',
        ]);
        expect(asked.headers.get('access-control-allow-headers')).to.match(/\bContent-Type\b/);
        expect(asked.headers.get('access-control-allow-credentials')).to.equal(null);
      }
    });

    it('is refused where the widget does not, before anything is asked of it', async () => {
      const { key } = await stage.widget({ allowed_origins: [PAGE, 'https://*.shop.example'] });
      const strangers = [
        'https://other.example',
        'http://shop.example',
        'https://shop.example:8443',
        'https://evilshop.example',
        'https://shop.example.evil.example',
        'null',
      ];
      for (const origin of strangers) {
        for (const answer of [
          await stage.ask('GET', 'settings', key, undefined, origin),
          await request(key, { to: CUSTOMER }, origin),
          await preflight(`/v1/widget/callbacks?key=${key}`, origin),
        ]) {
          expect(outcome(answer), origin).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
          expect(cors(answer)).to.equal(null);
        }
      }
      expect(outcome(await request(key, { to: CUSTOMER }, null))).to.equal('403 WIDGET_ORIGIN_NOT_ALLOWED');
      const { data } =
        (await stage.callbacks.api.request('GET', '/v1/callbacks', { key: stage.callbacks.liveKey })).body ?? {};
      expect(data).to.deep.equal([]);
    });

    it('may be the platform’s own, with or without a name', async () => {
      const { key } = await stage.widget({ allowed_origins: [] });
      const { url } = stage.callbacks.api;
      expect((await stage.ask('GET', 'settings', key, undefined, null)).status).to.equal(200);
      expect((await stage.ask('GET', 'settings', key, undefined, url)).status).to.equal(200);
      expect((await request(key, { to: CUSTOMER }, url)).status).to.equal(202);
    });

    it('can read why it is refused for another reason', async () => {
      const { key } = await stage.widget();
      const answer = await request(key, { to: '12' });
      expect(outcome(answer)).to.equal('400 INVALID_PHONE_NUMBER');
      expect(cors(answer)).to.equal(PAGE);
      expect(answer.headers.get('access-control-expose-headers')).to.contain('Retry-After');
    });
  });

  describe('asks for a callback', () => {
    it('that rings the visitor and joins them with the project’s default destination', async () => {
      const { key } = await stage.widget({ name: 'Shop' });
      const made = await requested(key, { to: '0501234517', name: 'Reem' });
      expect(made).to.include({ status: 'initiated', to_masked: '+96650••••17' });
      expect(JSON.stringify(made)).not.to.contain('1234517');
      const id = String(made.callback_id);
      await stage.callbacks.phones.untilBothAnswered(id);
      const read = await stage.callbacks.read(id);
      expect(read).to.deep.include({ agent: '1001', metadata: { widget: 'Shop', name: 'Reem' }, sandbox: false });
      await stage.callbacks.phones.untilStatus(id, 'ended');
    });

    it('that joins them with the widget’s own destination', async () => {
      const { key } = await stage.widget({ destination: { type: 'echo', target: null } });
      const id = String((await requested(key)).callback_id);
      await stage.callbacks.phones.untilStatus(id, 'answered');
      expect(await stage.callbacks.read(id)).to.deep.include({ agent: null });
    });

    it('that the agents of the widget’s queue make', async () => {
      const queueId = await openQueue(stage.callbacks.phones);
      const { key } = await stage.widget({ destination: { type: 'queue', target: 'sales' } });
      const id = String((await requested(key)).callback_id);
      expect(await stage.callbacks.read(id)).to.deep.include({ queue_id: queueId });
      await stage.callbacks.phones.untilBothAnswered(id);
      expect(await stage.callbacks.read(id)).to.deep.include({ agent: '1001' });
      await stage.callbacks.phones.untilStatus(id, 'ended');
    });

    it('that the simulator plays, where it is of the sandbox', async () => {
      const { key } = await stage.widget({ sandbox: true });
      expect(outcome(await request(key, { to: CUSTOMER }))).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      expect(outcome(await request(key, { to: '+966500000017' }))).to.equal('500 SANDBOX_SIMULATED_SERVER_ERROR');
      const made = await requested(key, { to: '+966500000003' });
      await stage.callbacks.sandbox.untilStatus(String(made.callback_id), 'missed');
      expect((await follow(key, made)).body).to.include({ status: 'missed', disposition: 'busy' });
    });

    it('in vain, where the number, the request or the platform will not have it', async () => {
      const { key } = await stage.widget();
      expect(outcome(await request(key, { to: '911' }))).to.equal('400 INVALID_PHONE_NUMBER');
      expect(outcome(await request(key, {}))).to.equal('400 VALIDATION_ERROR');
      expect(outcome(await request(key, { to: CUSTOMER, caller_id_number: CUSTOMER }))).to.equal(
        '400 VALIDATION_ERROR',
      );
      expect(outcome(await request(key, { to: CUSTOMER, name: 'x'.repeat(101) }))).to.equal('400 VALIDATION_ERROR');
      const { db } = stage.callbacks.database;
      await db.query(`UPDATE engines SET status = 'unreachable'`);
      expect(outcome(await request(key, { to: CUSTOMER }))).to.equal('502 CALL_FAILED');
      await db.query(`UPDATE projects SET main_number = '+966112223333' WHERE id = $1`, [
        stage.callbacks.phones.ground.projectId,
      ]);
      expect(outcome(await request(key, { to: CUSTOMER }))).to.equal('403 CLI_NOT_OWNED');
    });

    it('only so often for one telephone, and for one address', async () => {
      const { key } = await stage.widget();
      const other = await stage.widget();
      await requested(key);
      await requested(other.key);
      const refused = await request(key, { to: CUSTOMER });
      expect(outcome(refused)).to.equal('429 RATE_LIMIT_EXCEEDED');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 601);
      for (const end of [18, 19, 20]) await requested(key, { to: `+9665012345${end}` });
      expect(outcome(await request(key, { to: '+966501234521' }))).to.equal('429 RATE_LIMIT_EXCEEDED');
      await stage.callbacks.clock.advance(11 * MINUTE_MS);
      await requested(key);
    });
  });

  describe('with work for the browser', () => {
    it('asks with a proof that counts once', async () => {
      const { key } = await stage.widget({ captcha: true });
      const captcha = await stage.proof(key);
      await requested(key, { to: CUSTOMER, captcha });
      expect(outcome(await request(key, { to: CUSTOMER, captcha }))).to.equal('400 CAPTCHA_FAILED');
    });

    it('counts a proof once when it is handed in twice at the same time', async () => {
      const { key } = await stage.widget({ captcha: true });
      const captcha = await stage.proof(key);
      const answers = await Promise.all([1, 2, 3, 4].map(() => request(key, { to: CUSTOMER, captcha })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 400, 400, 400]);
    });

    it('asks in vain without one, with a wrong one, a late one, and one of another widget', async () => {
      const { key } = await stage.widget({ captcha: true });
      const failed = async (json: object): Promise<void> => {
        expect(outcome(await request(key, { to: CUSTOMER, ...json }))).to.equal('400 CAPTCHA_FAILED');
      };
      await failed({});
      const captcha = await stage.proof(key);
      await failed({ captcha: { ...captcha, number: captcha.number + 1 } });
      await failed({ captcha: { ...captcha, signature: '0'.repeat(64) } });
      await failed({ captcha: { ...captcha, salt: captcha.salt.replace(/expires=\d+/, 'expires=9999999999') } });
      // A challenge of one's own making is easily solved.
      const own = { ...captcha, salt: `${captcha.salt.split('?')[0]}?${captcha.salt.split('?')[1]}x=1&` };
      await failed({ captcha: own });
      await failed({ captcha: await stage.proof((await stage.widget({ captcha: true })).key) });
      await stage.callbacks.clock.advance(10 * MINUTE_MS);
      await failed({ captcha });
      expect(outcome(await request(key, { to: CUSTOMER, captcha: { number: 1 } }))).to.equal('400 VALIDATION_ERROR');
      await requested(key, { to: CUSTOMER, captcha: await stage.proof(key) });
    });

    it('gives a challenge that ALTCHA’s own solver can solve', async () => {
      const { solveChallenge } = await import('altcha-lib/v1');
      const { key } = await stage.widget({ captcha: true });
      const { body } = await stage.ask('GET', 'challenge', key);
      const { maxnumber, ...rest } = body as unknown as Challenge;
      const { number } = solved({ maxnumber, ...rest });
      // Theirs is slow: it begins shortly before.
      const start = Math.max(0, number - 100);
      const theirs = await solveChallenge(rest.challenge, rest.salt, rest.algorithm, maxnumber, start).promise;
      expect(theirs?.number).to.equal(number);
    });
  });

  describe('with a proof of the telephone', () => {
    const send = (key: string, json: object = {}): Promise<Answer> =>
      stage.ask('POST', 'otp', key, { to: CUSTOMER, language: 'en', ...json });
    async function sent(key: string, json: object = {}): Promise<string> {
      const answer = await send(key, json);
      expect(answer.status, answer.text).to.equal(202);
      return String(answer.body?.otp_id);
    }
    const enter = (key: string, id: string, code: string, to = CUSTOMER): Promise<Answer> =>
      request(key, { to, otp: { id, code } });
    const another = (code: string): string => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`;

    it('asks with the code that a call told', async () => {
      const { key } = await stage.widget({ otp: true, captcha: true });
      expect(outcome(await send(key))).to.equal('400 CAPTCHA_FAILED');
      const answer = await send(key, { captcha: await stage.proof(key) });
      expect(answer.body).to.include({ to_masked: '+96650••••17', code_length: 6, resend_after_seconds: 30 });
      const code = await stage.told('en');
      expect(code).to.match(/^\d{6}$/);
      expect(answer.text).not.to.contain(code);
      expect(outcome(await request(key, { to: CUSTOMER }))).to.equal('400 VALIDATION_ERROR');
      const arabic = code.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));
      const made = await enter(key, String(answer.body?.otp_id), arabic);
      expect(outcome(made)).to.equal('202 initiated');
      await stage.callbacks.phones.untilBothAnswered(String(made.body?.callback_id));
      expect(outcome(await enter(key, String(answer.body?.otp_id), code))).to.equal('400 OTP_INVALID');
    });

    it('asks in vain with a wrong code, five times', async () => {
      const { key } = await stage.widget({ otp: true });
      const id = await sent(key);
      const code = await stage.told('en');
      for (const left of [4, 3, 2, 1]) {
        const answer = await enter(key, id, another(code));
        expect(outcome(answer)).to.equal('400 OTP_INVALID');
        expect(answer.body?.message).to.contain(`attempts left: ${left}`);
      }
      expect(outcome(await enter(key, id, another(code)))).to.equal('409 OTP_TOO_MANY_ATTEMPTS');
      expect(outcome(await enter(key, id, code))).to.equal('409 OTP_TOO_MANY_ATTEMPTS');
      expect(outcome(await enter(key, id, '12'))).to.equal('400 VALIDATION_ERROR');
    });

    it('asks once, when the right code is entered several times at the same moment', async () => {
      const { key } = await stage.widget({ otp: true });
      const id = await sent(key);
      const code = await stage.told('en');
      const answers = await Promise.all([1, 2, 3, 4].map(() => enter(key, id, code)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 400, 400, 400]);
    });

    it('asks in vain with a code of another telephone, another widget, or none', async () => {
      const { key } = await stage.widget({ otp: true });
      const other = await stage.widget({ otp: true });
      const id = await sent(key);
      const code = await stage.told('en');
      expect(outcome(await enter(key, id, code, '+966501234518'))).to.equal('400 OTP_INVALID');
      expect(outcome(await enter(other.key, id, code))).to.equal('400 OTP_INVALID');
      expect(outcome(await enter(key, newId(), code))).to.equal('400 OTP_INVALID');
      expect(outcome(await enter(key, id, code))).to.equal('202 initiated');
    });

    it('asks in vain too late', async () => {
      const { key } = await stage.widget({ otp: true });
      const id = await sent(key);
      const code = await stage.told('en');
      await stage.callbacks.clock.advance(6 * MINUTE_MS);
      expect(outcome(await enter(key, id, code))).to.equal('410 OTP_EXPIRED');
      expect(outcome(await enter(key, id, code))).to.equal('410 OTP_EXPIRED');
    });

    it('has another code told after a while, and the one before counts no more', async () => {
      const { key } = await stage.widget({ otp: true });
      const id = await sent(key);
      const soon = await send(key);
      expect(outcome(soon)).to.equal('429 OTP_RESEND_TOO_SOON');
      expect(Number(soon.headers.get('retry-after'))).to.be.within(25, 30);
      const first = await stage.told('en');
      await stage.callbacks.clock.advance(31_000);
      const answer = await send(key);
      expect(answer.body).to.include({ otp_id: id, resend_after_seconds: 60 });
      const second = await stage.told('en');
      if (first !== second) expect(outcome(await enter(key, id, first))).to.equal('400 OTP_INVALID');
      expect(outcome(await enter(key, id, second))).to.equal('202 initiated');
    });

    it('has one code told, when several are asked for at the same moment', async () => {
      const { key } = await stage.widget({ otp: true });
      const answers = await Promise.all([1, 2, 3].map(() => send(key)));
      expect(answers.map(outcome).filter((one) => one.startsWith('429'))).to.have.length(2);
      expect(answers.filter(({ status }) => status === 202)).to.have.length(1);
    });

    it('has none told where nothing can be, or may be', async () => {
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

    it('has only so many told', async () => {
      const { key } = await stage.widget({ otp: true });
      await sent(key);
      await stage.callbacks.clock.advance(31_000);
      await sent(key);
      await stage.callbacks.clock.advance(61_000);
      expect(outcome(await send(key))).to.equal('429 RATE_LIMIT_EXCEEDED');
    });

    it('takes zeros in the sandbox, whose numbers alone are called', async () => {
      const { key } = await stage.widget({ otp: true, sandbox: true });
      expect(outcome(await send(key))).to.equal('403 SANDBOX_DESTINATION_NOT_ALLOWED');
      const to = '+966500000001';
      const made = await enter(key, await sent(key, { to }), '000000', to);
      expect(outcome(made)).to.equal('202 initiated');
    });
  });

  describe('follows the callback', () => {
    it('to its end, told of each change when it happens', async () => {
      const { key } = await stage.widget({ sandbox: true });
      const made = await requested(key, { to: '+966500000001' });
      const id = String(made.callback_id);
      const { sandbox } = stage.callbacks;
      const seen = ['initiated'];
      while (seen.at(-1) !== 'ended') {
        const [answer] = await Promise.all([
          follow(key, made, seen.at(-1)),
          sandbox.until(async () => (await stage.callbacks.read(id)).status !== seen.at(-1)),
        ]);
        expect(answer.status, answer.text).to.equal(200);
        expect(answer.body).to.include({ callback_id: id, to_masked: '+96650••••01' });
        const status = String(answer.body?.status);
        if (status !== seen.at(-1)) seen.push(status);
      }
      expect(seen).to.include.members(['initiated', 'answered', 'ended']);
      expect((await follow(key, made, 'ended')).body).to.include({ status: 'ended' });
    });

    it('and is not kept waiting for ever', async () => {
      const { key } = await stage.widget();
      const made = await requested(key);
      expect((await follow(key, made, 'initiated')).body).to.include({ status: 'initiated' });
    });

    it('only with the token that it was given, and only for an hour', async () => {
      const { key } = await stage.widget();
      const other = await stage.widget();
      const [made, another] = [await requested(key), await requested(key, { to: '+966501234518' })];
      const forged = { ...made, status_token: String(made.status_token).replace(/^\d+/, '9999999999') };
      for (const [asked, whose] of [
        [{ ...made, status_token: another.status_token }, key],
        [{ ...made, status_token: '' }, key],
        [forged, key],
        [made, other.key],
      ] as const) {
        expect(outcome(await follow(whose, asked as Record<string, string>))).to.equal('404 CALLBACK_NOT_FOUND');
      }
      expect((await follow(key, made)).status).to.equal(200);
      await stage.callbacks.clock.advance(61 * MINUTE_MS);
      expect(outcome(await follow(key, made))).to.equal('404 CALLBACK_NOT_FOUND');
    });
  });

  it('is written down as who asked', async () => {
    const { key, id } = await stage.widget();
    await requested(key);
    await stage.callbacks.api.audit.flush();
    const [row] = await stage.callbacks.database.db.query<{ key_id: string; details: unknown }>(
      `SELECT key_id, details FROM audit_log WHERE path = '/v1/widget/callbacks' AND key_id = $1`,
      [id],
    );
    expect(JSON.stringify(row?.details)).to.contain('+96650').and.not.to.contain('1234517');
  });
});
