import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import type { AccountsStage } from '../../support/stages/accounts/accounts-stage.js';
import { codeOf, detailsOf } from '../../support/judges/outcome.js';
import { PASSWORD, type TestUser } from '../../support/stages/accounts/accounts-stage.js';
import { credentialsStage, mailsTo, type Ask } from '../../support/stages/accounts/credentials-stage.js';
import { NUMBER, VerifyStage, wrongCode } from '../../support/stages/verify-stage.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

describe('The profile of a user', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let verifying: VerifyStage;
  let stage: AccountsStage;
  let user: TestUser;
  let ask: Ask;

  before(async () => {
    database = await testDatabase();
    verifying = await VerifyStage.start(database);
    stage = await credentialsStage(database, verifying.verify);
  });
  beforeEach(async () => {
    user = await stage.signUp({ user: { role: 'developer', agent: '101' } });
    ask = await stage.as(user);
  });
  after(async () => {
    await stage.close();
    await verifying.close();
    await database.close();
  });

  const change = (json: object): Promise<Answer> => ask('PATCH', '/v1/me', { json });
  const pathsOf = (answer: Answer): string[] => detailsOf(answer).map(({ path }) => path);
  const confirmEmail = (token: string): Promise<Answer> =>
    stage.api.request('POST', '/v1/me/email/confirm', { json: { token } });
  const newAddress = (): string => `${newId()}@example.com`;

  it('shows who is signed in, where, and what the role permits', async () => {
    const { status, body, text } = await ask('GET', '/v1/me');
    expect(status, text).to.equal(200);
    expect(body).to.deep.include({
      id: user.row.id,
      email: user.row.email,
      email_confirmed: true,
      pending_email: null,
      name: 'Reem',
      locale: 'ar',
      phone: null,
      pending_phone: null,
      organization: {
        id: user.organization.id,
        name: 'Riyadh Dental',
        tier: 'production',
        second_factor_required: false,
      },
      role: 'developer',
      project_ids: null,
      agent: '101',
      has_password: true,
      second_factor: { totp: false, passkeys: 0, recovery_codes_left: 0 },
    });
    expect(body?.permissions).to.include('keys:write').and.not.include('members:write');
    expect(body?.session).to.include({ second_factor: false, impersonated: false });
  });

  it('is for people: an API key is not enough', async () => {
    const { key } = await stage.api.key();
    for (const method of ['GET', 'PATCH']) {
      const options = method === 'PATCH' ? { json: {} } : {};
      expect(codeOf(await stage.api.request(method, '/v1/me', { key, ...options }))).to.match(/SESSION_REQUIRED$/);
      expect(codeOf(await stage.api.request(method, '/v1/me', options))).to.equal('401 INVALID_API_KEY');
    }
  });

  it('takes a new name and language', async () => {
    const changed = await change({ name: '  هدى القحطاني ', locale: 'en' });
    expect(changed.status, changed.text).to.equal(200);
    expect((await ask('GET', '/v1/me')).body).to.include({ name: 'هدى القحطاني', locale: 'en' });
  });

  it('names every bad field at once, and changes nothing', async () => {
    const refused = await change({ name: ' ', locale: 'fr', email: newAddress() });
    expect([codeOf(refused), pathsOf(refused)]).to.deep.equal(['400 PROFILE_VALIDATION_FAILED', ['name', 'locale']]);
    expect(codeOf(await change({ name: 'x'.repeat(101) }))).to.equal('400 PROFILE_VALIDATION_FAILED');
    expect(codeOf(await change({ name: 'Huda\nBcc: all' }))).to.equal('400 PROFILE_VALIDATION_FAILED');
    expect(codeOf(await change({ role: 'owner' }))).to.equal('400 VALIDATION_ERROR');
    expect((await ask('GET', '/v1/me')).body).to.include({ name: 'Reem', locale: 'ar', pending_email: null });
  });

  for (const [field, value] of [
    ['email', 'nobody'],
    ['email', 'a@b@c'],
    ['phone', '12'],
    ['phone', '911'],
  ] as const) {
    it(`refuses the ${field} ${value}`, async () => {
      const refused = await change({ name: 'Huda', [field]: value });
      expect([codeOf(refused), pathsOf(refused)]).to.deep.equal(['400 INVALID_IDENTITY', [field]]);
      expect((await ask('GET', '/v1/me')).body).to.include({ name: 'Reem' });
    });
  }

  describe('gets a new e-mail address', () => {
    it('when the link in the mail is opened, and the old address gets a mail', async () => {
      const email = newAddress();
      const begun = await change({ email: email.toUpperCase() });
      expect(begun.body, begun.text).to.include({ email: user.row.email, pending_email: email });
      const [mail] = await mailsTo(database, email);
      expect(mail).to.include({ kind: 'confirm_email', locale: 'ar' });
      expect(codeOf(await confirmEmail(mail?.token ?? ''))).to.equal('204');
      expect((await ask('GET', '/v1/me')).body).to.include({ email, pending_email: null, email_confirmed: true });
      const [told] = await mailsTo(database, user.row.email);
      expect(told).to.deep.include({ kind: 'email_changed' });
      expect(told?.data.masked_email).to.match(/^..••••@example\.com$/);
      const sign = (address: string) =>
        stage.api.request('POST', '/v1/sessions', { json: { email: address, password: PASSWORD } });
      expect(codeOf(await sign(user.row.email))).to.equal('401 INVALID_CREDENTIALS');
      expect(codeOf(await sign(email))).to.equal('200');
      expect(codeOf(await confirmEmail(mail?.token ?? ''))).to.equal('400 VALIDATION_ERROR');
    });

    it('so that links to set a password that went to the old one stop working', async () => {
      await stage.api.request('POST', '/v1/password/forgot', { json: { email: user.row.email } });
      const [reset] = await mailsTo(database, user.row.email);
      const email = newAddress();
      await change({ email });
      const [mail] = await mailsTo(database, email);
      await confirmEmail(mail?.token ?? '');
      const json = { token: reset?.token, password: 'seven lanterns beside the quay' };
      expect(codeOf(await stage.api.request('POST', '/v1/password/reset', { json }))).to.equal('400 VALIDATION_ERROR');
    });

    it('in a confirmed session only', async () => {
      await stage.clock.advance(5 * 60_000);
      const email = newAddress();
      expect(codeOf(await change({ email, name: 'Huda' }))).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect((await ask('GET', '/v1/me')).body).to.include({ name: 'Reem', pending_email: null });
      expect(await mailsTo(database, email)).to.deep.equal([]);
    });

    it('unless another user has it', async () => {
      const other = await stage.signUp();
      expect(codeOf(await change({ email: other.row.email }))).to.equal('409 IDENTITY_CONFLICT');
    });

    it('unless another user got it meanwhile', async () => {
      const email = newAddress();
      await change({ email });
      const [mail] = await mailsTo(database, email);
      await stage.signUp({ user: { email } });
      expect(codeOf(await confirmEmail(mail?.token ?? ''))).to.equal('409 IDENTITY_CONFLICT');
      expect((await ask('GET', '/v1/me')).body).to.include({ email: user.row.email });
    });

    it('by the newest link, for a day, unless the change is taken back', async () => {
      const [first, second] = [newAddress(), newAddress()];
      await change({ email: first });
      await change({ email: second });
      const [old] = await mailsTo(database, first);
      const [late] = await mailsTo(database, second);
      expect(codeOf(await confirmEmail(old?.token ?? ''))).to.equal('400 VALIDATION_ERROR');
      const kept = await change({ email: user.row.email });
      expect(kept.body).to.include({ pending_email: null });
      expect(codeOf(await confirmEmail(late?.token ?? ''))).to.equal('400 VALIDATION_ERROR');
      const third = newAddress();
      await change({ email: third });
      await stage.clock.advance(24 * 60 * 60_000);
      const [expired] = await mailsTo(database, third);
      expect(codeOf(await confirmEmail(expired?.token ?? ''))).to.equal('400 VALIDATION_ERROR');
    });

    it('ten times in a quarter of an hour', async () => {
      for (let n = 1; n <= 10; n += 1) expect(codeOf(await change({ email: newAddress() }))).to.equal('200');
      expect(codeOf(await change({ email: newAddress() }))).to.equal('429 RATE_LIMIT_EXCEEDED');
    });
  });

  describe('gets a telephone number', () => {
    const confirm = (code: string): Promise<Answer> => ask('POST', '/v1/me/phone/confirm', { json: { code } });

    it('when the code that was sent to it is entered', async () => {
      const begun = await change({ phone: '0501234517' });
      expect(begun.body, begun.text).to.include({ phone: null, pending_phone: NUMBER });
      const { to, code } = verifying.sent.at(-1)!;
      expect(to).to.equal(NUMBER);
      expect(codeOf(await confirm(wrongCode(code)))).to.equal('400 INVALID_IDENTITY');
      expect(codeOf(await confirm('12'))).to.equal('400 VERIFY_INVALID_CODE');
      const confirmed = await confirm(code);
      expect(confirmed.body, confirmed.text).to.include({ phone: NUMBER, pending_phone: null });
      expect(codeOf(await confirm(code))).to.equal('404 NOT_FOUND');
      const removed = await change({ phone: null });
      expect(removed.body).to.include({ phone: null });
    });

    it('of its own: nobody else confirms it', async () => {
      await change({ phone: NUMBER });
      const { code } = verifying.sent.at(-1)!;
      const other = await stage.as(await stage.signUp());
      expect(codeOf(await other('POST', '/v1/me/phone/confirm', { json: { code } }))).to.equal('404 NOT_FOUND');
    });

    it('unless no channel sends the code: then nothing changes', async () => {
      const before = verifying.away.sms;
      verifying.away.sms = true;
      verifying.away.voice = true;
      try {
        const refused = await change({ phone: NUMBER, name: 'Huda' });
        expect(refused.status, refused.text).to.be.within(400, 502).and.not.equal(200);
        expect((await ask('GET', '/v1/me')).body).to.include({ name: 'Reem', pending_phone: null });
      } finally {
        verifying.away.sms = before;
        verifying.away.voice = false;
      }
    });
  });
});
