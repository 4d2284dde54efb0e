import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { AccountsStage } from '../../support/stages/accounts/accounts-stage.js';
import { codeOf } from '../../support/judges/outcome.js';
import { PASSWORD, type TestUser } from '../../support/stages/accounts/accounts-stage.js';
import {
  credentialsStage,
  mailsTo,
  passwordHash,
  setUpTotp,
  totpCode,
} from '../../support/stages/accounts/credentials-stage.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

const NEXT = 'seven lanterns beside the quay';

describe('Passwords of users', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AccountsStage;
  let user: TestUser;

  before(async () => {
    database = await testDatabase();
    stage = await credentialsStage(database);
  });
  beforeEach(async () => {
    user = await stage.signUp();
  });
  after(async () => {
    await stage.close();
    await database.close();
  });

  const signInCode = async (password: string): Promise<string> =>
    codeOf(await stage.api.request('POST', '/v1/sessions', { json: { email: user.row.email, password } }));

  describe('that are changed', () => {
    it('end every other session at once, and are reported by mail', async () => {
      const other = await stage.signIn(user);
      const ask = await stage.as(user);
      const answer = await ask('POST', '/v1/me/password', { json: { current_password: PASSWORD, password: NEXT } });
      expect(answer.status, answer.text).to.equal(204);
      expect(codeOf(await ask('GET', '/v1/me'))).to.equal('200');
      expect(codeOf(await stage.api.request('GET', '/v1/me', { key: other.access }))).to.equal(
        '401 INVALID_ACCESS_TOKEN',
      );
      const refreshed = await stage.api.request('POST', '/v1/sessions/refresh', {
        json: { refresh_token: other.refresh },
      });
      expect(codeOf(refreshed)).to.equal('401 INVALID_REFRESH_TOKEN');
      expect(await signInCode(PASSWORD)).to.equal('401 INVALID_CREDENTIALS');
      expect(await signInCode(NEXT)).to.equal('200');
      expect((await mailsTo(database, user.row.email)).map(({ kind }) => kind)).to.deep.equal(['password_changed']);
    });

    it('stay if the current one is wrong', async () => {
      const before = await passwordHash(database, user);
      const ask = await stage.as(user);
      const answer = await ask('POST', '/v1/me/password', { json: { current_password: NEXT, password: NEXT } });
      expect(codeOf(answer)).to.equal('400 INVALID_CURRENT_PASSWORD');
      expect(await passwordHash(database, user)).to.equal(before);
      expect(await mailsTo(database, user.row.email)).to.deep.equal([]);
    });

    for (const [what, password, reason] of [
      ['short', 'x7Kq!pR2v', /at least 10/],
      ['long', 'x7Kq!pR2v '.repeat(13), /at most 128/],
      ['leaked', 'masha_love', /leaked/],
      ['easy to guess', 'Password2026!', /easy to guess/],
    ] as const) {
      it(`are refused if the new one is ${what}`, async () => {
        const ask = await stage.as(user);
        const answer = await ask('POST', '/v1/me/password', { json: { current_password: PASSWORD, password } });
        expect(codeOf(answer)).to.equal('400 PASSWORD_VALIDATION_FAILED');
        expect(answer.body?.message).to.match(reason);
        expect(answer.body?.details).to.have.nested.property('[0].path', 'password');
        expect(await signInCode(PASSWORD)).to.equal('200');
      });
    }

    it('are refused if the new one is the name of the user', async () => {
      user = await stage.signUp({ user: { name: 'Fahad Almutairi' } });
      const ask = await stage.as(user);
      const json = { current_password: PASSWORD, password: 'FahadAlmutairi1' };
      expect(codeOf(await ask('POST', '/v1/me/password', { json }))).to.equal('400 PASSWORD_VALIDATION_FAILED');
    });

    it('cannot be changed by a user of single sign-on', async () => {
      const ask = await stage.as(user);
      await database.db.query(`UPDATE users SET password_hash = NULL WHERE id = $1`, [user.row.id]);
      const answer = await ask('POST', '/v1/me/password', { json: { current_password: PASSWORD, password: NEXT } });
      expect(codeOf(answer)).to.equal('403 PASSWORD_SSO_ONLY');
      expect(codeOf(await ask('POST', '/v1/sessions/confirm', { json: { password: PASSWORD } }))).to.equal(
        '403 PASSWORD_SSO_ONLY',
      );
    });

    it('can be guessed ten times in a quarter of an hour', async () => {
      const ask = await stage.as(user);
      const json = { current_password: 'a wrong one', password: NEXT };
      for (let n = 1; n <= 10; n += 1) {
        expect(codeOf(await ask('POST', '/v1/me/password', { json }))).to.equal('400 INVALID_CURRENT_PASSWORD');
      }
      const refused = await ask('POST', '/v1/me/password', { json: { ...json, current_password: PASSWORD } });
      expect(codeOf(refused)).to.equal('429 RATE_LIMIT_EXCEEDED');
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 901);
    });

    it('change once if two requests change them at the same moment', async () => {
      const ask = await stage.as(user);
      const change = (password: string) =>
        ask('POST', '/v1/me/password', { json: { current_password: PASSWORD, password } });
      const codes = (await Promise.all([change(NEXT), change(`${NEXT}, twice`)])).map(codeOf);
      expect(codes.toSorted()).to.deep.equal(['204', '400 INVALID_CURRENT_PASSWORD']);
      expect(await mailsTo(database, user.row.email)).to.have.lengthOf(1);
    });

    it('belong to people: an API key is not enough', async () => {
      const { key } = await stage.api.key();
      const json = { current_password: PASSWORD, password: NEXT };
      expect(codeOf(await stage.api.request('POST', '/v1/me/password', { key, json }))).to.match(/SESSION_REQUIRED$/);
      expect(codeOf(await stage.api.request('POST', '/v1/me/password', { json }))).to.equal('401 INVALID_API_KEY');
    });
  });

  describe('that are forgotten', () => {
    const forgot = (email: string) => stage.api.request('POST', '/v1/password/forgot', { json: { email } });
    const reset = (token: string, password = NEXT) =>
      stage.api.request('POST', '/v1/password/reset', { json: { token, password } });
    const newestToken = async (): Promise<string> => (await mailsTo(database, user.row.email)).at(-1)?.token ?? '';

    // Each test has a process of its own: the limit of requests of one address is counted there.
    beforeEach(async () => {
      await stage.close();
      stage = await credentialsStage(database);
      user = await stage.signUp();
    });

    it('are answered alike whether somebody has the address, and only then with a mail', async () => {
      const known = await forgot(user.row.email.toUpperCase());
      const stranger = `${newId()}@example.com`;
      const unknown = await forgot(stranger);
      expect([known.status, known.text]).to.deep.equal([202, '{}']);
      expect([unknown.status, unknown.text]).to.deep.equal([202, '{}']);
      expect(await mailsTo(database, user.row.email)).to.have.lengthOf(1);
      expect(await mailsTo(database, stranger)).to.deep.equal([]);
    });

    it('leave no token in the database', async () => {
      await forgot(user.row.email);
      const token = await newestToken();
      expect(token).to.match(/^rst_/);
      const stored = await database.db.query<{ text: string }>(
        `SELECT row_to_json(token)::text AS text FROM user_tokens AS token
         UNION ALL SELECT row_to_json(mail)::text FROM owner_mails AS mail`,
      );
      expect(stored.length).to.be.greaterThan(1);
      for (const { text } of stored) expect(text).to.not.contain(token);
    });

    it('are set by the link, once, and end every session', async () => {
      const session = await stage.signIn(user);
      await database.db.query(`UPDATE users SET email_confirmed_at = NULL WHERE id = $1`, [user.row.id]);
      await forgot(user.row.email);
      const token = await newestToken();
      expect(codeOf(await reset(token))).to.equal('204');
      expect(await signInCode(NEXT)).to.equal('200');
      expect(codeOf(await stage.api.request('GET', '/v1/me', { key: session.access }))).to.equal(
        '401 INVALID_ACCESS_TOKEN',
      );
      const [row] = await database.db.query<{ is_confirmed: boolean }>(
        `SELECT email_confirmed_at IS NOT NULL AS is_confirmed FROM users WHERE id = $1`,
        [user.row.id],
      );
      expect(row?.is_confirmed).to.equal(true);
      const again = await reset(token, 'nine kettles under a bridge');
      expect(codeOf(again)).to.equal('400 VALIDATION_ERROR');
      expect(again.body?.details).to.have.nested.property('[0].path', 'token');
      expect((await mailsTo(database, user.row.email)).map(({ kind }) => kind)).to.deep.equal([
        'reset_password',
        'password_changed',
      ]);
    });

    it('are set once if two requests bring the link at the same moment', async () => {
      await forgot(user.row.email);
      const token = await newestToken();
      const codes = (await Promise.all([reset(token), reset(token, `${NEXT}, twice`)])).map(codeOf);
      expect(codes.toSorted()).to.deep.equal(['204', '400 VALIDATION_ERROR']);
    });

    it('keep the link if the new one is not accepted', async () => {
      await forgot(user.row.email);
      const token = await newestToken();
      expect(codeOf(await reset(token, 'masha_love'))).to.equal('400 PASSWORD_VALIDATION_FAILED');
      expect(codeOf(await reset(token))).to.equal('204');
    });

    it('are set by the newest link alone, for an hour', async () => {
      await forgot(user.row.email);
      const first = await newestToken();
      await forgot(user.row.email);
      expect(codeOf(await reset(first))).to.equal('400 VALIDATION_ERROR');
      const second = await newestToken();
      await stage.clock.advance(60 * 60_000);
      expect(codeOf(await reset(second))).to.equal('400 VALIDATION_ERROR');
      expect(await signInCode(PASSWORD)).to.equal('200');
    });

    it('are not set by what is no link', async () => {
      for (const token of ['', 'rst_', 'x'.repeat(200), `rst_${'0'.repeat(49)}`]) {
        expect(codeOf(await reset(token)), token).to.equal('400 VALIDATION_ERROR');
      }
    });

    it('leave the second factor in place', async () => {
      const { secret } = await setUpTotp(stage, await stage.as(user));
      await forgot(user.row.email);
      expect(codeOf(await reset(await newestToken()))).to.equal('204');
      expect(await signInCode(NEXT)).to.equal('401 INVALID_CREDENTIALS');
      await stage.clock.advance(60_000);
      const json = { email: user.row.email, password: NEXT, totp: totpCode(secret, stage.clock.now()) };
      expect(codeOf(await stage.api.request('POST', '/v1/sessions', { json }))).to.equal('200');
    });

    it('get no mail if the user is disabled', async () => {
      await database.db.query(`UPDATE users SET disabled_at = now() WHERE id = $1`, [user.row.id]);
      expect((await forgot(user.row.email)).status).to.equal(202);
      expect(await mailsTo(database, user.row.email)).to.deep.equal([]);
    });

    it('are sent to one address three times in an hour, also if nobody has it', async () => {
      for (const email of [user.row.email, `${newId()}@example.com`]) {
        for (let n = 1; n <= 3; n += 1) expect((await forgot(email)).status).to.equal(202);
        expect(codeOf(await forgot(email))).to.equal('429 RATE_LIMIT_EXCEEDED');
      }
      expect(await mailsTo(database, user.row.email)).to.have.lengthOf(3);
    });

    it('are asked for ten times from one address of the network', async () => {
      for (let n = 1; n <= 10; n += 1) expect((await forgot(`${newId()}@example.com`)).status).to.equal(202);
      expect(codeOf(await forgot(user.row.email))).to.equal('429 RATE_LIMIT_EXCEEDED');
    });
  });
});
