import { expect } from 'chai';
import { codeOf } from '../../support/judges/outcome.js';
import type { Answer } from '../../support/api.js';
import type { Person } from '../../support/peers/openid-provider.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { setUpTotp, totpCode } from '../../support/stages/accounts/credentials-stage.js';
import { personOf, type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';

describe('Single sign-on decides who somebody is', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;

  signOnEach((...made) => ([stage, home, database] = made));

  const person = (more: Partial<Person> = {}): Person => personOf(home, more);
  const me = (answer: Answer): Promise<Answer> => stage.me(answer);

  it('by the subject, also after the address changed', async () => {
    const who = person();
    const first = await me(await stage.signOn(home, who));
    const again = await me(await stage.signOn(home, { ...who, email: `new-name@${home.domain}` }));
    expect(again.body?.id).to.equal(first.body?.id);
    expect(again.body?.email).to.equal(who.email);
  });

  it('by the address the first time, and confirms it', async () => {
    const member = await stage.accounts.signUp({
      of: home.owner,
      user: { email: `known@${home.domain}`, role: 'developer', email_confirmed_at: null },
    });
    const profile = await me(await stage.signOn(home, person({ email: `Known@${home.domain}` })));
    expect(profile.body).to.include({
      id: member.row.id,
      role: 'developer',
      email_confirmed: true,
      has_password: true,
    });
  });

  it('and refuses another account of the provider with the same address', async () => {
    const who = person();
    await stage.signOn(home, who);
    const answer = await stage.signOn(home, { ...who, sub: `${who.sub}-again` });
    expect(codeOf(answer)).to.equal('403 SSO_NOT_ADMITTED');
    expect(answer.body?.message).to.contain('another account of the identity provider');
  });

  for (const [what, more, reason] of [
    ['without an address', { email: undefined }, 'does not say a confirmed e-mail address'],
    ['whose address nobody confirmed', { email_verified: false }, 'does not say a confirmed e-mail address'],
    [
      'with an address of another domain',
      { email: 'reem@elsewhere.example' },
      'domain of the e-mail address is not verified',
    ],
    ['with a malformed address', { email: 'reem@' }, 'does not say a confirmed e-mail address'],
  ] as const) {
    it(`and refuses somebody ${what}`, async () => {
      const { email, ...rest } = { ...person(), ...more };
      const answer = await stage.signOn(home, email === undefined ? rest : { ...rest, email });
      expect(codeOf(answer)).to.equal('403 SSO_NOT_ADMITTED');
      expect(answer.body?.message).to.contain(reason);
      expect(answer.headers.get('set-cookie')).to.equal(null);
    });
  }

  it('and never takes over an account of another organization', async () => {
    const other = await stage.home(null);
    const victim = await stage.accounts.signUp({ of: other.owner, user: { email: `victim@${home.domain}` } });
    const answer = await stage.signOn(home, person({ email: victim.row.email }));
    expect(codeOf(answer)).to.equal('403 SSO_NOT_ADMITTED');
    const attacker = await stage
      .signOn(other, person({ email: home.owner.row.email }))
      .catch((error: unknown) => error);
    expect(String(attacker)).to.contain('SSO_NOT_CONFIGURED');
    await other.ask('PUT', '/v1/sso', stage.settings());
    expect(codeOf(await stage.signOn(other, person({ email: home.owner.row.email })))).to.equal('403 SSO_NOT_ADMITTED');
  });

  it('and refuses somebody who is disabled, and organizations that are suspended', async () => {
    const who = person();
    await stage.signOn(home, who);
    await database.db.query(`UPDATE users SET disabled_at = now() WHERE email = $1`, [who.email]);
    expect(codeOf(await stage.signOn(home, who))).to.equal('403 SSO_NOT_ADMITTED');
    const begun = await stage.begin({ organization: home.organizationId });
    const back = await stage.atProvider(person(), begun);
    await database.db.query(`UPDATE organizations SET suspended_at = now() WHERE id = $1`, [home.organizationId]);
    expect(codeOf(await stage.finish(back, begun.cookie))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(codeOf((await stage.begin({ organization: home.organizationId })).answer)).to.equal(
      '403 INSUFFICIENT_PERMISSIONS',
    );
  });

  it('the same for two sign-ins of somebody new at one moment', async () => {
    const who = person();
    await stage.sync();
    const begun = [
      await stage.begin({ organization: home.organizationId }),
      await stage.begin({ organization: home.organizationId }),
    ];
    const backs = [];
    for (const each of begun) backs.push(await stage.atProvider(who, each));
    const answers = await Promise.all(backs.map((back, index) => stage.finish(back, begun[index]!.cookie)));
    expect(answers.map(({ status }) => status)).to.deep.equal([303, 303]);
    const rows = await database.db.query(`SELECT id FROM users WHERE email = $1`, [who.email]);
    expect(rows).to.have.length(1);
  });

  describe('and how strongly', () => {
    it('counts one that the provider asked for', async () => {
      await database.db.query(`UPDATE organizations SET second_factor_required = true WHERE id = $1`, [
        home.organizationId,
      ]);
      const strong = await me(await stage.signOn(home, person({ amr: ['pwd', 'mfa'] })));
      expect(strong.body?.session).to.deep.include({ second_factor: true });
      const weak = await stage.accessOf(await stage.signOn(home, person({ amr: ['pwd'] })));
      expect(codeOf(await stage.api.request('GET', '/v1/organization', { key: weak }))).to.equal(
        '403 INSUFFICIENT_PERMISSIONS',
      );
    });

    it('takes one of Hatif in place of it', async () => {
      const who = person();
      await stage.sync();
      const key = await stage.accessOf(await stage.signOn(home, who, { confirm: 'true' }));
      const { secret } = await setUpTotp(stage.accounts, (method, path, options) =>
        stage.api.request(method, path, { key, ...options }),
      );
      await database.db.query(`UPDATE organizations SET second_factor_required = true WHERE id = $1`, [
        home.organizationId,
      ]);
      const next = await stage.accessOf(await stage.signOn(home, who));
      await stage.accounts.clock.advance(60_000);
      const json = { totp: totpCode(secret, stage.accounts.clock.now()) };
      expect(codeOf(await stage.api.request('GET', '/v1/organization', { key: next }))).to.equal(
        '403 INSUFFICIENT_PERMISSIONS',
      );
      const confirmed = await stage.api.request('POST', '/v1/sessions/confirm', { key: next, json });
      expect(confirmed.status, confirmed.text).to.equal(200);
      expect((await stage.api.request('GET', '/v1/organization', { key: next })).status).to.equal(200);
    });

    it('confirms the session when the provider says that the person just proved its identity', async () => {
      const profile = await me(await stage.signOn(home, person(), { confirm: 'true' }));
      const { confirmed_at } = profile.body?.session as { confirmed_at: string };
      expect(Math.abs(Date.parse(confirmed_at) - Date.now())).to.be.below(30_000);
    });

    it('leaves it unconfirmed when the provider does not say so, and refuses that if it was asked', async () => {
      stage.peer.tamper = ({ auth_time: _, ...claims }) => claims;
      const answer = await stage.signOn(home, person());
      expect((await me(answer)).body?.session).to.deep.include({ confirmed_at: null });
      expect(codeOf(await stage.signOn(home, person(), { confirm: 'true' }))).to.equal('401 SSO_ANSWER_INVALID');
      const long = Math.floor(Date.now() / 1000) - 3600;
      stage.peer.tamper = (claims) => ({ ...claims, auth_time: long });
      expect(codeOf(await stage.signOn(home, person(), { confirm: 'true' }))).to.equal('401 SSO_ANSWER_INVALID');
      stage.peer.tamper = null;
    });
  });
});
