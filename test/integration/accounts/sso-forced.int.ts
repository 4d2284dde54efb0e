import { expect } from 'chai';
import { codeOf } from '../../support/judges/outcome.js';
import type { Answer } from '../../support/api.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { PASSWORD } from '../../support/stages/accounts/accounts-stage.js';
import { mailsTo } from '../../support/stages/accounts/credentials-stage.js';
import { type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';

describe('Domains with no way in but single sign-on', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;

  signOnEach((...made) => ([stage, home, database] = made));
  beforeEach(async () => {
    const answer = await force();
    expect(answer.status, answer.text).to.equal(200);
  });

  const force = (more: object = {}): Promise<Answer> =>
    home.ask('PUT', '/v1/sso', stage.settings({ forced_domains: [home.domain], ...more }));
  const signIn = (email: string, password = PASSWORD): Promise<Answer> =>
    stage.api.request('POST', '/v1/sessions', { json: { email, password } });

  it('are refused before the password is looked at, whether somebody has the address or not', async () => {
    const { email } = home.owner.row;
    for (const answer of [
      await signIn(email),
      await signIn(email, 'a wrong password'),
      await signIn(` ${email.toUpperCase()} `),
      await signIn(`nobody@${home.domain}`),
    ]) {
      expect(codeOf(answer)).to.equal('403 PASSWORD_SSO_ONLY');
      expect(answer.body?.message).to.equal(
        'This account signs in through single sign-on, not with a password or a passkey.',
      );
    }
    expect(codeOf(await signIn(`nobody@sub.${home.domain}`))).to.equal('401 INVALID_CREDENTIALS');
  });

  it('do not use up the tries of an office', async () => {
    for (let n = 0; n < 30; n += 1)
      expect(codeOf(await signIn(`n${n}@${home.domain}`))).to.equal('403 PASSWORD_SSO_ONLY');
    const elsewhere = await stage.home(null);
    expect((await signIn(elsewhere.owner.row.email)).status).to.equal(200);
  });

  it('are open again while it is off, while owners are not admitted, and when the domain is given up', async () => {
    const { email } = home.owner.row;
    await force({ enabled: false });
    expect((await signIn(email)).status).to.equal(200);
    await force({ admits_owners: false });
    expect((await signIn(email)).status).to.equal(200);
    await force();
    expect(codeOf(await signIn(email))).to.equal('403 PASSWORD_SSO_ONLY');
    await home.ask('DELETE', `/v1/sso/domains/${home.domain}`);
    expect((await signIn(email)).status).to.equal(200);
  });

  it('leave members of other organizations alone', async () => {
    const other = await stage.home(null);
    const guest = await stage.accounts.signUp({ of: other.owner, user: { email: `guest@${home.domain}` } });
    expect((await signIn(guest.row.email)).status).to.equal(200);
  });

  it('send no mail to set a password, in the same time', async () => {
    const { email } = home.owner.row;
    const answer = await stage.api.request('POST', '/v1/password/forgot', { json: { email } });
    expect(answer.status).to.equal(202);
    expect(await mailsTo(database, email)).to.deep.equal([]);
  });

  it('nor to members who have no password because they come from the provider', async () => {
    await force({ forced_domains: [] });
    const email = `reem@${home.domain}`;
    const answer = await stage.signOn(home, { sub: `reem-of-${home.domain}`, email });
    expect(answer.status, answer.text).to.equal(303);
    await stage.api.request('POST', '/v1/password/forgot', { json: { email } });
    await stage.api.request('POST', '/v1/password/forgot', { json: { email: home.owner.row.email } });
    expect(await mailsTo(database, email)).to.deep.equal([]);
    expect((await mailsTo(database, home.owner.row.email)).map(({ kind }) => kind)).to.deep.equal(['reset_password']);
    const key = await stage.accessOf(answer);
    const json = { current_password: 'x', password: 'seven lanterns beside the quay' };
    expect(codeOf(await stage.api.request('POST', '/v1/me/password', { key, json }))).to.equal('403 PASSWORD_SSO_ONLY');
    expect(codeOf(await stage.api.request('POST', '/v1/sessions/confirm', { key, json: { password: 'x' } }))).to.equal(
      '403 PASSWORD_SSO_ONLY',
    );
    const moved = await stage.api.request('PATCH', '/v1/me', { key, json: { email: 'reem@elsewhere.example' } });
    expect(codeOf(moved)).to.equal('400 INVALID_IDENTITY');
    expect(moved.body?.details).to.have.nested.property('[0].path', 'email');
    expect((await stage.api.request('PATCH', '/v1/me', { key, json: { name: 'Reem' } })).status).to.equal(200);
  });

  it('are known in every process at once', async () => {
    const other = await stage.accounts.process();
    const json = { email: home.owner.row.email, password: PASSWORD };
    expect(codeOf(await other.request('POST', '/v1/sessions', { json }))).to.equal('403 PASSWORD_SSO_ONLY');
  });
});
