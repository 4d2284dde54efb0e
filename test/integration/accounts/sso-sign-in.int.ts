import { expect } from 'chai';
import { addAdministrator } from '../../support/rows/administrators.js';
import { codeOf } from '../../support/judges/outcome.js';
import type { Answer } from '../../support/api.js';
import type { Person } from '../../support/peers/openid-provider.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { mailsTo } from '../../support/stages/accounts/credentials-stage.js';
import {
  personOf,
  PROGRAM,
  type SsoStage,
  verifierAndChallenge,
  type SsoHome,
  signOnEach,
} from '../../support/stages/accounts/sso-stage.js';

describe('Single sign-on', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;

  signOnEach((...made) => ([stage, home, database] = made));
  afterEach(() => {
    stage.peer.conforming = false;
    stage.peer.restart();
  });

  const person = (more: Partial<Person> = {}): Person => personOf(home, more);
  const me = (answer: Answer): Promise<Answer> => stage.me(answer);
  const audited = async (): Promise<{ actor: string; details: Record<string, unknown> }[]> => {
    await stage.api.audit.flush();
    return database.db.query(
      `SELECT actor, details FROM audit_log WHERE organization_id = $1 AND route = '/v1/sso/callback' ORDER BY id`,
      [home.organizationId],
    );
  };

  describe('in a browser', () => {
    it('makes a member, whose session is in a cookie and in no address', async () => {
      const reem = person({ locale: 'ar-SA' });
      const answer = await stage.signOn(home, reem);
      expect(answer.status, answer.text).to.equal(303);
      expect(answer.headers.get('location')).to.equal('/console');
      expect(answer.text).to.equal('');
      const cookie = answer.headers.get('set-cookie') ?? '';
      expect(cookie).to.match(/^__Host-hatif_refresh=rt_\w+; Path=\/; Secure; HttpOnly; SameSite=Strict; Expires=/);
      const profile = await me(answer);
      expect(profile.body, profile.text).to.deep.include({ email: reem.email, name: 'Reem Alharbi', locale: 'ar' });
      expect(profile.body).to.include({
        role: 'viewer',
        email_confirmed: true,
        has_password: false,
        project_ids: null,
      });
      const [row] = await audited();
      expect(row).to.deep.include({ actor: reem.email });
      expect(row?.details).to.deep.include({ single_sign_on: true, second_factor: false });
    });

    it('asks the provider for what is not in the ID token', async () => {
      stage.peer.conforming = true;
      stage.peer.restart();
      const put = await home.ask(
        'PUT',
        '/v1/sso',
        stage.settings({ group_roles: [{ group: 'money', role: 'finance' }] }),
      );
      expect(put.status, put.text).to.equal(200);
      const answer = await stage.signOn(home, person({ groups: ['money'] }));
      expect((await me(answer)).body).to.include({ role: 'finance' });
    });

    it('opens the page that it was asked for, and no other site', async () => {
      const answer = await stage.signOn(home, person(), { return_to: '/console/calls?tab=live#today' });
      expect(answer.headers.get('location')).to.equal('/console/calls?tab=live#today');
      for (const return_to of [
        'https://evil.example',
        '//evil.example',
        '/\\evil.example',
        'console',
        '/\t/evil.example',
        '/%0d%0a\n',
      ]) {
        const { answer: refused } = await stage.begin({ organization: home.organizationId, return_to });
        expect(codeOf(refused), return_to).to.equal('400 VALIDATION_ERROR');
      }
    });

    it('finds the organization by the domain of an address', async () => {
      const begun = await stage.begin({ email: `Anybody@${home.domain.toUpperCase()}` });
      expect(begun.answer.status, begun.answer.text).to.equal(303);
      const url = new URL(begun.location);
      expect(url.origin).to.equal(stage.peer.issuer);
      expect(Object.fromEntries(url.searchParams)).to.include({
        response_type: 'code',
        code_challenge_method: 'S256',
        login_hint: `anybody@${home.domain}`,
        scope: 'openid email profile groups',
      });
      expect(url.searchParams.get('nonce')).to.match(/^[\w-]{43}$/);
      expect(begun.answer.headers.get('set-cookie')).to.match(
        /^__Host-hatif_sso=ssb_\w+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
      );
    });

    it('is not there for organizations without it, and other domains', async () => {
      const none = await stage.home(null);
      const off = await stage.home({ enabled: false });
      for (const query of [
        { email: `a@${none.domain}` },
        { email: `a@${off.domain}` },
        { email: 'a@unknown.example' },
        { organization: none.organizationId },
        { organization: '0197f3a0-5c00-7000-8000-000000000009' },
      ]) {
        expect(codeOf((await stage.begin(query)).answer)).to.equal('404 SSO_NOT_CONFIGURED');
      }
      for (const query of [
        {},
        { email: 'a' },
        { email: `a@${home.domain}`, organization: home.organizationId },
      ] as Record<string, string>[]) {
        expect(codeOf((await stage.begin(query)).answer)).to.equal('400 VALIDATION_ERROR');
      }
    });

    it('keeps two sign-ins of one browser apart', async () => {
      const first = await stage.begin({ organization: home.organizationId });
      const second = await stage.begin({ organization: home.organizationId }, { headers: { Cookie: first.cookie } });
      expect(second.cookie).to.equal(first.cookie);
      const [one, other] = [person(), person()];
      const back = await stage.atProvider(one, first);
      const last = await stage.finish(await stage.atProvider(other, second), second.cookie);
      expect((await me(last)).body).to.include({ email: other.email });
      expect((await me(await stage.finish(back, first.cookie))).body).to.include({ email: one.email });
    });

    it('does not begin because of a page of another site, unless the person clicks there', async () => {
      const from = (headers: Readonly<Record<string, string>>) =>
        stage.begin({ organization: home.organizationId }, { headers });
      for (const site of ['cross-site', 'same-site']) {
        const { answer } = await from({ 'Sec-Fetch-Site': site });
        expect(answer.body?.details, site).to.have.nested.property('[0].path', 'Sec-Fetch-User');
        expect(answer.headers.get('set-cookie')).to.equal(null);
        expect((await from({ 'Sec-Fetch-Site': site, 'Sec-Fetch-User': '?1' })).answer.status).to.equal(303);
      }
      for (const site of ['none', 'same-origin']) {
        expect((await from({ 'Sec-Fetch-Site': site })).answer.status, site).to.equal(303);
      }
    });

    it('is refused over plain HTTP from elsewhere', async () => {
      const trusting = await stage.accounts.process(['loopback']);
      const headers = { 'X-Forwarded-For': '203.0.113.7', 'X-Forwarded-Proto': 'http' };
      const { answer } = await stage.begin({ organization: home.organizationId }, { api: trusting, headers });
      expect(answer.body?.details).to.have.nested.property('[0].path', 'connection');
      const begun = await stage.begin({ organization: home.organizationId });
      const back = await stage.atProvider(person(), begun);
      const plain = await stage.finish(back, begun.cookie, { api: trusting, headers });
      expect(plain.body?.details).to.have.nested.property('[0].path', 'connection');
      const code = { json: { code: 'x', code_verifier: 'v'.repeat(43) }, headers };
      const exchanged = await trusting.request('POST', '/v1/sso/session', code);
      expect(exchanged.body?.details).to.have.nested.property('[0].path', 'connection');
    });
  });

  it('reports a new device by mail, but not the first one', async () => {
    const who = person();
    const { accounts } = stage;
    const trusting = await accounts.process(['loopback']);
    const from = (ip: string, agent: string) => ({
      'X-Forwarded-For': ip,
      'X-Forwarded-Proto': 'https',
      'User-Agent': agent,
    });
    const signOn = async (ip: string, agent: string): Promise<void> => {
      await stage.sync();
      const options = { api: trusting, headers: from(ip, agent) };
      const begun = await stage.begin({ organization: home.organizationId }, options);
      const answer = await stage.finish(await stage.atProvider(who, begun), begun.cookie, options);
      expect(answer.status, answer.text).to.equal(303);
    };
    await signOn('203.0.113.7', 'Firefox');
    await signOn('203.0.113.7', 'Chrome');
    await signOn('203.0.113.8', 'Firefox');
    expect(await mailsTo(database, who.email ?? '')).to.deep.equal([]);
    await signOn('198.51.100.4', 'Safari');
    const mails = await mailsTo(database, who.email ?? '');
    expect(mails.map(({ kind }) => kind)).to.deep.equal(['new_device']);
    expect(mails[0]?.data).to.deep.include({ ip: '198.51.100.4', user_agent: 'Safari' });
  });

  it('can be tried sixty times in a quarter of an hour', async () => {
    const path = `/v1/sso/callback?state=sst_${'x'.repeat(49)}`;
    const trusting = await stage.accounts.process(['loopback']);
    const headers = { 'X-Forwarded-For': '203.0.113.99', 'X-Forwarded-Proto': 'https' };
    for (let n = 0; n < 60; n += 1) {
      expect(codeOf(await trusting.request('GET', path, { headers }))).to.equal('400 SSO_STATE_INVALID');
    }
    expect(codeOf(await trusting.request('GET', path, { headers }))).to.equal('429 RATE_LIMIT_EXCEEDED');
  });

  it('leaves no secret in the log, the audit log or the tables', async () => {
    const { verifier, challenge } = verifierAndChallenge();
    await stage.sync();
    const begun = await stage.begin({
      organization: home.organizationId,
      client: 'other',
      redirect_uri: PROGRAM,
      code_challenge: challenge,
    });
    const back = await stage.atProvider(person(), begun);
    const answer = await stage.finish(back, begun.cookie);
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const session = await stage.api.request('POST', '/v1/sso/session', { json: { code, code_verifier: verifier } });
    await stage.api.audit.flush();
    const tables = await database.db.query(
      `SELECT row_to_json(t)::text AS text FROM audit_log AS t UNION ALL SELECT row_to_json(t)::text FROM sso_codes AS t
       UNION ALL SELECT row_to_json(t)::text FROM sso_flows AS t UNION ALL SELECT row_to_json(t)::text FROM session_tokens AS t`,
    );
    const all = stage.api.log.join('\n') + JSON.stringify(tables);
    const state = back.searchParams.get('state') ?? '';
    const secrets = [code, verifier, state, back.searchParams.get('code') ?? '', begun.cookie.split('=')[1] ?? ''];
    for (const secret of [...secrets, String(session.body?.access_token), String(session.body?.refresh_token)]) {
      expect(secret).to.have.length.above(20);
      expect(all).to.not.contain(secret);
    }
  });

  it('is lifted by an administrator of the installation', async () => {
    const key = await addAdministrator(database.db);
    const path = `/v1/admin/organizations/${home.organizationId}/sso`;
    expect((await stage.api.request('DELETE', path, { key })).status).to.equal(204);
    expect(codeOf((await stage.begin({ organization: home.organizationId })).answer)).to.equal(
      '404 SSO_NOT_CONFIGURED',
    );
  });
});
