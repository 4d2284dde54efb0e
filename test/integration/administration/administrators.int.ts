import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import { setupCode } from '../../../core/services/administration/setup-code.js';
import { generateToken } from '../../../core/model/access/tokens.js';
import { administratorRouteProblems } from '../../support/judges/administrator-contract.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { codeOf } from '../../support/judges/outcome.js';
import { ADMINISTRATOR, AdministrationStage } from '../../support/stages/administration/administration-stage.js';
import { TEST_CIPHER } from '../../support/cipher.js';

const UNENCRYPTED = { headers: { 'x-forwarded-for': '203.0.113.9' } };
const ELSEWHERE = { headers: { ...UNENCRYPTED.headers, 'x-forwarded-proto': 'https' } };
const MINUTE_MS = 60_000;

describe('administrators', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AdministrationStage;

  beforeEach(async () => {
    database = await testDatabase();
    stage = await AdministrationStage.open(database);
  });
  afterEach(async () => {
    await stage.close();
    await database.close();
  });

  const signIn = (more: object = {}, options: object = {}) =>
    stage.api.request('POST', '/v1/admin/sessions', {
      json: { email: ADMINISTRATOR.email, password: ADMINISTRATOR.password, ...more },
      ...options,
    });
  const setUp = (more: object = {}) =>
    stage.api.request('POST', '/v1/setup', { json: { code: setupCode(TEST_CIPHER), ...ADMINISTRATOR, ...more } });
  /** Does this while the platform has another public address. */
  const publicly = async (url: string, work: () => Promise<void>): Promise<void> => {
    const before = stage.publicUrl.value;
    stage.publicUrl.value = url;
    await work().finally(() => (stage.publicUrl.value = before));
  };
  const count = async (): Promise<number> => (await stage.stores.db.query('SELECT 1 FROM administrators')).length;

  /** Sets the second factor up. @returns a code of a later moment each time */
  async function secondFactor(): Promise<() => Promise<string>> {
    const { secret } = await stage.done('POST', '/me/totp', { password: ADMINISTRATOR.password });
    const totp = new TOTP({ secret: Secret.fromBase32(String(secret)) });
    const code = async (): Promise<string> => {
      await stage.clock.advance(30_000);
      return totp.generate({ timestamp: stage.clock.now().getTime() });
    };
    await stage.done('POST', '/me/totp/confirm', { code: await code() });
    return code;
  }

  describe('the set-up', () => {
    it('makes the first administrator once, with the code of the start screen in any form', async () => {
      expect((await stage.api.request('GET', '/v1/setup')).body).to.deep.equal({ complete: false });
      const { status, body } = await setUp({ code: ` ${setupCode(TEST_CIPHER).toLowerCase().replaceAll('-', ' ')}` });
      expect(status).to.equal(201);
      expect(body?.administrator).to.include({ email: ADMINISTRATOR.email, name: 'Noura', totp: false });
      stage.token = String(body?.access_token);
      expect(await stage.done('GET', '/me')).to.include({ email: ADMINISTRATOR.email, second_factor_required: false });
      expect((await stage.api.request('GET', '/v1/setup')).body).to.deep.equal({ complete: true });
      expect(codeOf(await setUp({ email: 'other@operator.example' }))).to.equal('409 SETUP_ALREADY_COMPLETE');
      expect(await count()).to.equal(1);
    });

    it('of two at the same moment makes one', async () => {
      const answers = await Promise.all([
        setUp({ email: 'a@operator.example' }),
        setUp({ email: 'b@operator.example' }),
      ]);
      expect(answers.map(codeOf).sort()).to.deep.equal(['201', '409 SETUP_ALREADY_COMPLETE']);
      expect(await count()).to.equal(1);
    });

    it('refuses a wrong code, a weak password and a malformed address, and changes nothing', async () => {
      expect(codeOf(await setUp({ code: 'AAAAA-BBBBB-CCCCC-DDDDD' }))).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      expect(codeOf(await setUp({ password: 'password' }))).to.equal('400 PASSWORD_VALIDATION_FAILED');
      expect(codeOf(await setUp({ email: 'noura' }))).to.equal('400 VALIDATION_ERROR');
      expect(codeOf(await setUp({ name: ' ' }))).to.equal('400 VALIDATION_ERROR');
      expect(await count()).to.equal(0);
    });
  });

  describe('sessions', () => {
    beforeEach(() => stage.setUp());

    it('need the password, and tell nothing about which part was wrong', async () => {
      expect((await signIn()).body).to.have.all.keys('access_token', 'expires_in');
      const [password, email] = [await signIn({ password: 'wrong' }), await signIn({ email: 'x@operator.example' })];
      for (const answer of [password, email]) {
        expect(codeOf(answer)).to.equal('401 ADMIN_INVALID_CREDENTIALS');
        expect(answer.body).to.not.have.property('details');
      }
      expect(password.body?.message).to.equal(email.body?.message);
    });

    it('limit the tries, of an address and for an account, but not where the administrator works', async () => {
      const third = { headers: { ...ELSEWHERE.headers, 'x-forwarded-for': '192.0.2.5' } };
      for (let n = 0; n < 10; n++) await signIn({ password: 'wrong' }, ELSEWHERE);
      expect(codeOf(await signIn({ email: 'x@operator.example' }, ELSEWHERE))).to.equal('429 RATE_LIMIT_EXCEEDED');
      expect(codeOf(await signIn({}, third))).to.equal('429 RATE_LIMIT_EXCEEDED');
      expect(codeOf(await signIn())).to.equal('200');
      for (let n = 0; n < 10; n++) await signIn({ password: 'wrong' });
      expect(codeOf(await signIn())).to.equal('429 RATE_LIMIT_EXCEEDED');
      await stage.clock.advance(16 * MINUTE_MS);
      expect(codeOf(await signIn())).to.equal('200');
    });

    it('end after eight hours, after half an hour without a request, and at a sign-out', async () => {
      const still = async (): Promise<string> => codeOf(await stage.ask('GET', '/me'));
      for (let minutes = 0; minutes < 8 * 60 - 20; minutes += 20) {
        await stage.clock.advance(20 * MINUTE_MS);
        expect(await still(), `${minutes} minutes`).to.equal('200');
      }
      await stage.clock.advance(20 * MINUTE_MS);
      expect(await still()).to.equal('401 ADMIN_UNAUTHORIZED');
      stage.token = String((await signIn()).body?.access_token);
      await stage.clock.advance(30 * MINUTE_MS);
      expect(await still()).to.equal('401 ADMIN_UNAUTHORIZED');
      stage.token = String((await signIn()).body?.access_token);
      expect(codeOf(await stage.ask('POST', '/sessions/logout'))).to.equal('204');
      expect(await still()).to.equal('401 ADMIN_UNAUTHORIZED');
    });

    it('need the code of the second factor once that is set; each code works once', async () => {
      const code = await secondFactor();
      const missing = await signIn();
      expect(codeOf(missing)).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      expect(missing.body?.details).to.deep.include({ path: 'totp', message: 'is required', message_ar: 'مطلوب' });
      const totp = await code();
      expect(codeOf(await signIn({ totp }))).to.equal('200');
      expect(codeOf(await signIn({ totp }))).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      expect(codeOf(await signIn({ totp: '000000' }))).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      const removal = (password: string) => stage.ask('DELETE', '/me/totp', { password });
      expect(codeOf(await removal('wrong'))).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      expect(codeOf(await removal(ADMINISTRATOR.password))).to.equal('204');
      expect(codeOf(await signIn())).to.equal('200');
    });

    it('refuse a second factor that nobody confirmed', async () => {
      const offer = (password: string) => stage.ask('POST', '/me/totp', { password });
      expect(codeOf(await stage.ask('POST', '/me/totp/confirm', { code: '123456' }))).to.equal('400 VALIDATION_ERROR');
      expect(codeOf(await offer('wrong'))).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      expect((await offer(ADMINISTRATOR.password)).body?.uri).to.match(/^otpauth:\/\/totp\//);
      expect(codeOf(await stage.ask('POST', '/me/totp/confirm', { code: 'abc' }))).to.equal('400 VALIDATION_ERROR');
      expect(codeOf(await signIn())).to.equal('200');
    });

    it('from another machine do nothing before the second factor is set up', async () => {
      stage.token = String((await signIn({}, ELSEWHERE)).body?.access_token);
      const elsewhere = async (method: string, path: string, json?: unknown): Promise<string> =>
        codeOf(await stage.ask(method, path, json, ELSEWHERE));
      expect(await elsewhere('GET', '/organizations')).to.equal('401 ADMIN_UNAUTHORIZED');
      expect((await stage.ask('GET', '/me', undefined, ELSEWHERE)).body).to.include({ second_factor_required: true });
      await secondFactor();
      expect(await elsewhere('GET', '/organizations')).to.equal('200');
    });

    it('need a second factor on the machine itself, too, if the public address is another one', async () => {
      // A proxy on the machine may forward requests without a header that says so.
      await publicly('https://voice.example', async () => {
        expect(codeOf(await stage.ask('GET', '/organizations'))).to.equal('401 ADMIN_UNAUTHORIZED');
        expect((await stage.ask('GET', '/me')).body).to.include({ second_factor_required: true });
      });
      expect(codeOf(await stage.ask('GET', '/organizations'))).to.equal('200');
    });

    it('do not begin where others could read the password', async () => {
      expect(codeOf(await signIn({}, UNENCRYPTED))).to.equal('400 VALIDATION_ERROR');
    });

    it('take passwords nowhere where others could read them', async () => {
      const { password } = ADMINISTRATOR;
      const owner = { email: 'huda@example.com', name: 'Huda', password };
      await secondFactor();
      for (const [method, path, json] of [
        ['POST', '/me/password', { current_password: password, password }],
        ['POST', '/me/totp', { password }],
        ['DELETE', '/me/totp', { password }],
        ['POST', '/organizations', { name: 'Riyadh Dental', tier: 'sandbox', owner }],
      ] as const) {
        const refused = await stage.ask(method, path, json, UNENCRYPTED);
        expect(codeOf(refused), path).to.equal('400 VALIDATION_ERROR');
        expect(refused.body?.message, path).to.contain('connection: is not encrypted');
      }
    });

    it('do not serve to guess the password', async () => {
      const offer = async (password: string) => codeOf(await stage.ask('POST', '/me/totp', { password }));
      for (let n = 0; n < 12; n += 1)
        expect(await offer(ADMINISTRATOR.password), 'a success counts not').to.equal('200');
      for (let n = 0; n < 10; n += 1) expect(await offer('wrong')).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      expect(await offer(ADMINISTRATOR.password)).to.equal('429 RATE_LIMIT_EXCEEDED');
      const removal = await stage.ask('DELETE', '/me/totp', { password: ADMINISTRATOR.password });
      expect(codeOf(removal)).to.equal('429 RATE_LIMIT_EXCEEDED');
      await stage.clock.advance(16 * MINUTE_MS);
      expect(await offer(ADMINISTRATOR.password)).to.equal('200');
    });

    it('change the password, which ends the other sessions but no token for scripts', async () => {
      const next = 'eleven owls under the old bridge';
      const change = async (current_password: string, password: string) =>
        codeOf(await stage.ask('POST', '/me/password', { current_password, password }));
      const { token: script } = await stage.administration.scriptTokens.create({
        ...{ email: ADMINISTRATOR.email, name: 'nightly', expiresAt: null },
      });
      const other = String((await signIn()).body?.access_token);
      const works = async (key: string) => codeOf(await stage.api.request('GET', '/v1/admin/me', { key }));
      expect(await change('wrong', next)).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      expect(await change(ADMINISTRATOR.password, 'password1234')).to.equal('400 PASSWORD_VALIDATION_FAILED');
      expect([await works(other), codeOf(await signIn())], 'nothing changed').to.deep.equal(['200', '200']);
      expect(await change(ADMINISTRATOR.password, next)).to.equal('204');
      expect(await works(stage.token)).to.equal('200');
      expect(await works(script)).to.equal('200');
      expect(await works(other)).to.equal('401 ADMIN_UNAUTHORIZED');
      expect(codeOf(await signIn())).to.equal('401 ADMIN_INVALID_CREDENTIALS');
      expect(codeOf(await signIn({ password: next }))).to.equal('200');
    });

    it('change the password once if two requests change it at the same moment', async () => {
      const wanted = ['eleven owls under the old bridge', 'twelve foxes above the new canal'];
      const answers = await Promise.all(
        wanted.map((password) =>
          stage.ask('POST', '/me/password', { current_password: ADMINISTRATOR.password, password }),
        ),
      );
      expect(answers.map(codeOf).sort()).to.deep.equal(['204', '401 ADMIN_INVALID_CREDENTIALS']);
    });

    it('leave in the audit log which account was tried, masked, and whether there was a second factor', async () => {
      await signIn({ password: 'wrong' });
      const failed = await stage.audited('/v1/admin/sessions');
      expect(failed).to.include({ status: 401, actor: null });
      expect(failed?.details).to.include({ account: 'no••••@operator.example' });
      await signIn();
      const done = await stage.audited('/v1/admin/sessions');
      expect(done).to.include({ status: 200, actor: ADMINISTRATOR.email });
      expect(done?.details).to.include({ second_factor: false });
    });

    it('refuse everybody else on every route', async () => {
      const unknown = [generateToken('administrator'), generateToken('access'), `${stage.token}x`, 'sk_live_x', 'x'];
      expect(await administratorRouteProblems(stage.api, stage.routes, stage.token, unknown)).to.deep.equal([]);
    });

    it('keep no secret in the database or the log', async () => {
      await stage.api.audit.flush();
      const rows = await stage.stores.db.query('SELECT * FROM administrators, administrator_tokens, audit_log');
      const kept = JSON.stringify(rows) + stage.api.log.join('\n');
      for (const secret of [ADMINISTRATOR.password, stage.token, setupCode(TEST_CIPHER)]) {
        expect(kept).to.not.contain(secret);
      }
    });
  });
});
