import { expect } from 'chai';
import type { AccountsStage } from '../../support/stages/accounts/accounts-stage.js';
import { codeOf, detailsOf } from '../../support/judges/outcome.js';
import { PASSWORD, type TestUser } from '../../support/stages/accounts/accounts-stage.js';
import {
  mailsTo,
  setUpTotp,
  signedInEach,
  totpCode,
  type Ask,
} from '../../support/stages/accounts/credentials-stage.js';
import type { Answer, TestApi } from '../../support/api.js';
import type { TestDatabase } from '../../support/platform/database.js';

const STEP_MS = 30_000;

describe('The second factor of users', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AccountsStage;
  let user: TestUser;
  let ask: Ask;

  signedInEach((given) => ({ database, stage, user, ask } = given));

  const signIn = (totp?: string, api: TestApi = stage.api): Promise<Answer> =>
    api.request('POST', '/v1/sessions', { json: { email: user.row.email, password: PASSWORD, ...(totp && { totp }) } });
  const codeNow = (secret: string): string => totpCode(secret, stage.clock.now());
  const changes = async (): Promise<unknown[]> =>
    (await mailsTo(database, user.row.email)).map(({ data }) => data.change);
  const pathsOf = (answer: Answer): string[] => detailsOf(answer).map(({ path }) => path);

  describe('from an authenticator app', () => {
    it('is asked for once the app has shown a code', async () => {
      const begun = await ask('POST', '/v1/me/totp');
      expect(begun.status, begun.text).to.equal(201);
      expect(begun.body?.uri).to.match(/^otpauth:\/\/totp\/Hatif:/);
      expect(codeOf(await signIn())).to.equal('200');
      const code = codeNow(String(begun.body?.secret));
      const confirmed = await ask('POST', '/v1/me/totp/confirm', { json: { code } });
      expect(confirmed.status, confirmed.text).to.equal(200);
      expect(confirmed.body?.recovery_codes).to.have.lengthOf(10);

      const missing = await signIn();
      expect([codeOf(missing), pathsOf(missing)]).to.deep.equal(['401 INVALID_CREDENTIALS', ['totp']]);
      const wrong = await signIn('000000');
      expect([codeOf(wrong), pathsOf(wrong)]).to.deep.equal(['401 INVALID_CREDENTIALS', ['totp']]);
      await stage.clock.advance(STEP_MS);
      expect(codeOf(await signIn(codeNow(String(begun.body?.secret))))).to.equal('200');
      expect(await changes()).to.deep.equal(['totp_added']);
    });

    it('is not named to somebody who does not know the password', async () => {
      await setUpTotp(stage, ask);
      const json = { email: user.row.email, password: 'a wrong one' };
      const answer = await stage.api.request('POST', '/v1/sessions', { json });
      expect([codeOf(answer), pathsOf(answer)]).to.deep.equal(['401 INVALID_CREDENTIALS', []]);
    });

    it('is stored sealed', async () => {
      const { secret, recoveryCodes } = await setUpTotp(stage, ask);
      const stored = await database.db.query<{ text: string }>(
        `SELECT row_to_json(totp)::text AS text FROM totp_factors AS totp
         UNION ALL SELECT row_to_json(code)::text FROM recovery_codes AS code`,
      );
      expect(stored.length).to.be.greaterThan(10);
      for (const { text } of stored) {
        for (const shown of [secret, ...recoveryCodes]) expect(text).to.not.contain(shown);
      }
    });

    it('works once: neither the code that set it up, nor one that signed in', async () => {
      const { secret } = await setUpTotp(stage, ask);
      expect(codeOf(await signIn(codeNow(secret)))).to.equal('401 INVALID_CREDENTIALS');
      await stage.clock.advance(STEP_MS);
      const code = codeNow(secret);
      expect(codeOf(await signIn(code))).to.equal('200');
      expect(codeOf(await signIn(code))).to.equal('401 INVALID_CREDENTIALS');
    });

    it('works once if two processes get it at the same moment', async () => {
      const { secret } = await setUpTotp(stage, ask);
      const other = await stage.process();
      await stage.clock.advance(STEP_MS);
      const code = codeNow(secret);
      const answers = await Promise.all([stage.api, other, stage.api, other].map((api) => signIn(code, api)));
      expect(answers.map(codeOf).toSorted()).to.deep.equal([
        '200',
        ...Array<string>(3).fill('401 INVALID_CREDENTIALS'),
      ]);
    });

    it('is read in Arabic-Indic digits and with a space', async () => {
      const { secret } = await setUpTotp(stage, ask);
      await stage.clock.advance(STEP_MS);
      const code = codeNow(secret).replace(/\d/g, (digit) => String.fromCharCode(0x0660 + Number(digit)));
      expect(codeOf(await signIn(`${code.slice(0, 3)} ${code.slice(3)}`))).to.equal('200');
    });

    it('is not set up by a wrong code, nor after a quarter of an hour', async () => {
      const begun = await ask('POST', '/v1/me/totp');
      const secret = String(begun.body?.secret);
      const wrong = await ask('POST', '/v1/me/totp/confirm', { json: { code: '000000' } });
      expect([codeOf(wrong), pathsOf(wrong)]).to.deep.equal(['400 VALIDATION_ERROR', ['code']]);
      await stage.clock.advance(15 * 60_000 + 1);
      const later = await stage.as(user);
      const late = await later('POST', '/v1/me/totp/confirm', { json: { code: codeNow(secret) } });
      expect(codeOf(late)).to.equal('404 NOT_FOUND');
      expect(codeOf(await signIn())).to.equal('200');
    });

    it('is replaced by another app, and the first stays until then', async () => {
      const first = await setUpTotp(stage, ask);
      await stage.clock.advance(STEP_MS);
      const begun = await ask('POST', '/v1/me/totp');
      expect(codeOf(await signIn(codeNow(first.secret)))).to.equal('200');
      const second = String(begun.body?.secret);
      const confirmed = await ask('POST', '/v1/me/totp/confirm', { json: { code: codeNow(second) } });
      expect(confirmed.body, confirmed.text).to.deep.equal({ recovery_codes: null });
      await stage.clock.advance(STEP_MS);
      expect(codeOf(await signIn(codeNow(first.secret)))).to.equal('401 INVALID_CREDENTIALS');
      expect(codeOf(await signIn(codeNow(second)))).to.equal('200');
    });

    it('is removed with its recovery codes', async () => {
      const { recoveryCodes } = await setUpTotp(stage, ask);
      expect(codeOf(await ask('DELETE', '/v1/me/totp'))).to.equal('204');
      expect(codeOf(await signIn())).to.equal('200');
      expect(codeOf(await ask('DELETE', '/v1/me/totp'))).to.equal('404 NOT_FOUND');
      expect(codeOf(await ask('POST', '/v1/me/recovery-codes'))).to.equal('404 NOT_FOUND');
      await setUpTotp(stage, ask);
      expect(codeOf(await signIn(recoveryCodes[0]))).to.equal('401 INVALID_CREDENTIALS');
      expect(await changes()).to.deep.equal(['totp_added', 'totp_removed', 'totp_added']);
    });

    it('is of its user alone', async () => {
      const { secret, recoveryCodes } = await setUpTotp(stage, ask);
      user = await stage.signUp();
      await setUpTotp(stage, await stage.as(user));
      await stage.clock.advance(STEP_MS);
      expect(codeOf(await signIn(codeNow(secret)))).to.equal('401 INVALID_CREDENTIALS');
      expect(codeOf(await signIn(recoveryCodes[0]))).to.equal('401 INVALID_CREDENTIALS');
    });
  });

  describe('in recovery codes', () => {
    it('works once for each code, and each use is reported', async () => {
      const { recoveryCodes } = await setUpTotp(stage, ask);
      const [first = '', second = ''] = recoveryCodes;
      expect(codeOf(await signIn(first.toUpperCase().replace(/-/g, ' ')))).to.equal('200');
      expect(codeOf(await signIn(first))).to.equal('401 INVALID_CREDENTIALS');
      expect(codeOf(await signIn(second))).to.equal('200');
      expect(await changes()).to.deep.equal(['totp_added', 'recovery_code_used', 'recovery_code_used']);
      const { body } = await ask('GET', '/v1/me');
      expect(body?.second_factor).to.deep.equal({ totp: true, passkeys: 0, recovery_codes_left: 8 });
    });

    it('works once if two processes get one at the same moment', async () => {
      const { recoveryCodes } = await setUpTotp(stage, ask);
      const other = await stage.process();
      const answers = await Promise.all([stage.api, other].map((api) => signIn(recoveryCodes[0], api)));
      expect(answers.map(codeOf).toSorted()).to.deep.equal(['200', '401 INVALID_CREDENTIALS']);
    });

    it('is renewed: the earlier ones stop working', async () => {
      const { recoveryCodes } = await setUpTotp(stage, ask);
      const renewed = await ask('POST', '/v1/me/recovery-codes');
      expect(renewed.status, renewed.text).to.equal(201);
      const codes = renewed.body?.recovery_codes as string[];
      expect(codes).to.have.lengthOf(10);
      expect(codeOf(await signIn(recoveryCodes[0]))).to.equal('401 INVALID_CREDENTIALS');
      expect(codeOf(await signIn(codes[0]))).to.equal('200');
    });

    it('is shown once: a repeated request gets no codes', async () => {
      await setUpTotp(stage, ask);
      const headers = { 'Idempotency-Key': 'renew-once' };
      const first = await ask('POST', '/v1/me/recovery-codes', { headers });
      const again = await ask('POST', '/v1/me/recovery-codes', { headers });
      expect(first.body?.recovery_codes).to.have.lengthOf(10);
      expect([again.status, again.body]).to.deep.equal([201, { recovery_codes: null }]);
    });
  });

  describe('that an organization requires', () => {
    const require = (isRequired: boolean) =>
      database.db.query(`UPDATE organizations SET second_factor_required = $2 WHERE id = $1`, [
        user.organization.id,
        isRequired,
      ]);
    const shop = (one: Ask): Promise<Answer> => one('GET', '/v1/sessions');

    it('opens everything as soon as it is set up', async () => {
      await require(true);
      const restricted = await stage.as(user);
      const answer = await restricted('GET', '/v1/order-pages');
      expect(codeOf(answer)).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect(codeOf(await restricted('GET', '/v1/me'))).to.equal('200');
      expect(codeOf(await shop(restricted))).to.equal('200');
      await setUpTotp(stage, restricted);
      expect(codeOf(await restricted('GET', '/v1/order-pages'))).to.not.equal('403 INSUFFICIENT_PERMISSIONS');
    });

    it('is missing in a session without it, until the session is confirmed with it', async () => {
      const { secret } = await setUpTotp(stage, ask);
      await database.db.query(`UPDATE sessions SET second_factor = false WHERE user_id = $1`, [user.row.id]);
      await require(true);
      await stage.clock.advance(STEP_MS);
      expect(codeOf(await ask('GET', '/v1/order-pages'))).to.equal('403 INSUFFICIENT_PERMISSIONS');
      const json = { password: PASSWORD, totp: codeNow(secret) };
      expect(codeOf(await ask('POST', '/v1/sessions/confirm', { json }))).to.equal('200');
      expect(codeOf(await ask('GET', '/v1/order-pages'))).to.not.equal('403 INSUFFICIENT_PERMISSIONS');
    });
  });

  describe('and the confirmation of a session', () => {
    const confirm = (json: object): Promise<Answer> => ask('POST', '/v1/sessions/confirm', { json });

    it('is needed after five minutes, for what changes how a user signs in', async () => {
      await stage.clock.advance(5 * 60_000);
      for (const [method, path] of [
        ['POST', '/v1/me/totp'],
        ['DELETE', '/v1/me/totp'],
        ['POST', '/v1/me/recovery-codes'],
        ['POST', '/v1/me/passkeys/options'],
        ['DELETE', '/v1/me/passkeys/01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11'],
      ] as const) {
        const answer = await ask(method, path);
        expect(codeOf(answer), path).to.equal('403 INSUFFICIENT_PERMISSIONS');
        expect(answer.body?.message).to.contain('POST /v1/sessions/confirm');
      }
      const confirmed = await confirm({ password: PASSWORD });
      expect(confirmed.status, confirmed.text).to.equal(200);
      const until = stage.clock.now().getTime() + 5 * 60_000;
      expect(confirmed.body).to.deep.equal({ confirmed_until: new Date(until).toISOString() });
      expect(codeOf(await ask('POST', '/v1/me/totp'))).to.equal('201');
    });

    it('needs the code, too, if signing in needs it', async () => {
      const { secret } = await setUpTotp(stage, ask);
      await stage.clock.advance(5 * 60_000);
      const missing = await confirm({ password: PASSWORD });
      expect([codeOf(missing), pathsOf(missing)]).to.deep.equal(['401 INVALID_CREDENTIALS', ['totp']]);
      const wrong = await confirm({ password: 'a wrong one', totp: codeNow(secret) });
      expect([codeOf(wrong), pathsOf(wrong)]).to.deep.equal(['401 INVALID_CREDENTIALS', ['password']]);
      expect(codeOf(await confirm({ password: PASSWORD, totp: codeNow(secret) }))).to.equal('200');
    });

    it('counts for its session alone', async () => {
      await stage.clock.advance(5 * 60_000);
      const other = await stage.as(user);
      expect(codeOf(await other('POST', '/v1/me/totp'))).to.equal('201');
      expect(codeOf(await ask('POST', '/v1/me/totp'))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    });

    it('takes one way of proof', async () => {
      expect(codeOf(await confirm({}))).to.equal('400 VALIDATION_ERROR');
    });

    it('can be tried ten times in a quarter of an hour', async () => {
      for (let n = 1; n <= 10; n += 1)
        expect(codeOf(await confirm({ password: 'wrong' }))).to.equal('401 INVALID_CREDENTIALS');
      expect(codeOf(await confirm({ password: PASSWORD }))).to.equal('429 RATE_LIMIT_EXCEEDED');
    });
  });
});
