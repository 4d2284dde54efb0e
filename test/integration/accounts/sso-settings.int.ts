import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { addMember, type TestMember } from '../../support/rows/members.js';
import type { Answer } from '../../support/api.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { codeOf } from '../../support/judges/outcome.js';
import { listenOnLoopback, portOf } from '../../support/peers/listening.js';
import { CLIENT } from '../../support/peers/openid-provider.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { CALLBACK, type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';

describe('Settings of single sign-on', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;

  signOnEach((...made) => ([stage, home, database] = made), null);

  const put = (more: object = {}): Promise<Answer> => home.ask('PUT', '/v1/sso', stage.settings({ ...more }));
  const member = (wanted: Parameters<typeof addMember>[2]): Promise<TestMember> =>
    addMember(database.db, home.organizationId, wanted, {}, stage.accounts.clock.now());
  const as = ({ token }: TestMember, method: string, json?: unknown): Promise<Answer> =>
    stage.api.request(method, '/v1/sso', { key: token, ...(json !== undefined && { json }) });
  const stored = async (): Promise<string> =>
    JSON.stringify(
      await database.db.query(`SELECT * FROM sso_settings WHERE organization_id = $1`, [home.organizationId]),
    );

  it('are set, read and removed by the owner, and keep the secret sealed', async () => {
    expect(codeOf(await home.ask('GET', '/v1/sso'))).to.equal('404 SSO_NOT_CONFIGURED');
    const group_roles = [{ group: 'engineers', role: 'developer', project_ids: [...home.owner.projectIds] }];
    const answer = await put({ group_roles, forced_domains: [home.domain] });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.include({
      issuer: stage.peer.issuer,
      client_id: CLIENT.client_id,
      has_client_secret: true,
      client_authentication: 'basic',
      group_claim: 'groups',
      default_role: 'viewer',
      default_project_ids: null,
      admits_owners: true,
      enabled: true,
      callback_url: CALLBACK,
    });
    expect(answer.body?.group_roles).to.deep.equal(group_roles);
    expect(answer.body?.forced_domains).to.deep.equal([home.domain]);
    expect((await home.ask('GET', '/v1/sso')).body).to.deep.equal(answer.body);
    expect(answer.text).to.not.contain(CLIENT.client_secret);
    const [row] = await database.db.query<{ client_secret: string }>(
      `SELECT client_secret FROM sso_settings WHERE organization_id = $1`,
      [home.organizationId],
    );
    expect(row?.client_secret).to.not.contain(CLIENT.client_secret);
    expect(TEST_CIPHER.open(row?.client_secret ?? '')).to.equal(CLIENT.client_secret);
    expect((await home.ask('DELETE', '/v1/sso')).status).to.equal(204);
    expect(codeOf(await home.ask('DELETE', '/v1/sso'))).to.equal('404 SSO_NOT_CONFIGURED');
    const domains = await home.ask('GET', '/v1/sso/domains');
    expect(domains.body?.data).to.have.nested.property('[0].forced', false);
  });

  it('get a default for everything that is left out, except the secret', async () => {
    await put({ group_claim: 'roles', default_role: 'finance', enabled: true });
    const { issuer } = stage.peer;
    const answer = await home.ask('PUT', '/v1/sso', { issuer, client_id: CLIENT.client_id });
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.include({
      has_client_secret: true,
      group_claim: 'groups',
      default_role: null,
      enabled: false,
    });
    const open = await home.ask('PUT', '/v1/sso', { issuer, client_id: CLIENT.client_id, client_secret: null });
    expect(open.body).to.include({ has_client_secret: false });
  });

  for (const [what, more, path] of [
    ['an issuer that is no URL', { issuer: 'accounts.example' }, 'issuer'],
    ['an issuer without encryption', { issuer: 'http://accounts.example' }, 'issuer'],
    ['an issuer in a private network', { issuer: 'https://10.0.0.8' }, 'issuer'],
    ['an issuer that is the metadata of a cloud', { issuer: 'https://169.254.169.254' }, 'issuer'],
    ['an issuer with a query', { issuer: 'http://127.0.0.1:1/?tenant=a' }, 'issuer'],
    ['an issuer with a user name', { issuer: 'https://reem@accounts.example' }, 'issuer'],
    ['scopes without openid', { scopes: ['email'] }, 'scopes'],
    ['a scope with a blank', { scopes: ['openid', 'two words'] }, 'scopes[1]'],
    ['a role that does not exist', { default_role: 'root' }, 'default_role'],
    ['owners by default', { default_role: 'owner' }, 'default_role'],
    ['a domain that is not verified', { forced_domains: ['other.example'] }, 'forced_domains[0]'],
    [
      'a project that is not there',
      { group_roles: [{ group: 'a', role: 'viewer', project_ids: ['0197f3a0-5c00-7000-8000-000000000009'] }] },
      'group_roles[0].project_ids',
    ],
    [
      'an owner of one project',
      { group_roles: [{ group: 'a', role: 'owner', project_ids: ['0197f3a0-5c00-7000-8000-000000000009'] }] },
      'group_roles[0].project_ids',
    ],
    ['no secret at first', { client_secret: undefined }, 'client_secret'],
  ] as const) {
    it(`refuse ${what}, and store nothing`, async () => {
      const answer = await put(more);
      expect(codeOf(answer), answer.text).to.equal('400 VALIDATION_ERROR');
      expect(answer.body?.details).to.have.nested.property('[0].path', path);
      expect(answer.body?.message_ar).to.match(/[\u0600-\u06ff]/);
      expect(await stored()).to.equal('[]');
    });
  }

  it('never send a secret to another issuer than the one that it was given for', async () => {
    await put();
    const before = await stored();
    for (const more of [{ issuer: 'http://127.0.0.1:1' }, { client_id: 'another' }]) {
      const answer = await put({ ...more, client_secret: undefined });
      expect(answer.body?.details).to.have.nested.property('[0].path', 'client_secret');
    }
    expect(await stored()).to.equal(before);
  });

  describe('with a provider', () => {
    let server: Server;
    let answer: { status: number; type: string; body: string };
    before(async () => {
      server = createServer((_, res) => {
        res.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body);
      });
      await listenOnLoopback(server);
    });
    after(() => server.close());

    const issuer = (): string => `http://127.0.0.1:${portOf(server)}`;
    const metadata = (more: object = {}): string =>
      JSON.stringify({
        issuer: issuer(),
        authorization_endpoint: `${issuer()}/auth`,
        token_endpoint: `${issuer()}/token`,
        jwks_uri: `${issuer()}/jwks`,
        ...more,
      });

    for (const [what, given] of [
      ['answers with an error', () => ({ status: 503, type: 'text/plain', body: 'no' })],
      ['answers with a page', () => ({ status: 200, type: 'text/html', body: '<p>hello</p>' })],
      [
        'names another issuer',
        () => ({ status: 200, type: 'application/json', body: metadata({ issuer: 'https://other.example' }) }),
      ],
      [
        'has no endpoint for tokens',
        () => ({ status: 200, type: 'application/json', body: metadata({ token_endpoint: undefined }) }),
      ],
      [
        'leads people to a private address',
        () => ({
          status: 200,
          type: 'application/json',
          body: metadata({ authorization_endpoint: 'http://10.0.0.8/auth' }),
        }),
      ],
      [
        'leads people to a script',
        () => ({
          status: 200,
          type: 'application/json',
          body: metadata({ authorization_endpoint: 'javascript:alert(1)' }),
        }),
      ],
      [
        'sends more than a megabyte',
        () => ({ status: 200, type: 'application/json', body: metadata({ filler: 'x'.repeat(1_100_000) }) }),
      ],
      ['leads elsewhere', () => ({ status: 302, type: 'text/plain', body: '' })],
    ] as const) {
      it(`that ${what} are refused while they are on, and stored while they are off`, async () => {
        answer = given();
        const refused = await put({ issuer: issuer() });
        expect(codeOf(refused), refused.text).to.equal('502 SSO_PROVIDER_UNAVAILABLE');
        expect(await stored()).to.equal('[]');
        expect((await put({ issuer: issuer(), enabled: false })).status).to.equal(200);
      });
    }

    it('that does not listen are refused while they are on', async () => {
      const refused = await put({ issuer: 'http://127.0.0.1:1' });
      expect(codeOf(refused)).to.equal('502 SSO_PROVIDER_UNAVAILABLE');
      expect(refused.body?.message).to.contain('the connection was refused');
    });
  });

  describe('of an admin', () => {
    let admin: TestMember;
    beforeEach(async () => {
      admin = await member({ role: 'admin' });
    });

    it('do not let owners in, nor make owners', async () => {
      const answer = await as(admin, 'PUT', stage.settings());
      expect(answer.body, answer.text).to.include({ admits_owners: false });
      for (const more of [{ admits_owners: true }, { group_roles: [{ group: 'a', role: 'owner' }] }]) {
        expect(codeOf(await as(admin, 'PUT', stage.settings(more)))).to.equal('403 INSUFFICIENT_ROLE');
      }
    });

    it('leave what an owner decided about owners, and change the rest', async () => {
      await put({ group_roles: [{ group: 'chiefs', role: 'owner' }] });
      const same = { admits_owners: true, group_roles: [{ group: 'chiefs', role: 'owner' }] };
      const answer = await as(
        admin,
        'PUT',
        stage.settings({ ...same, client_secret: 'a new one', default_role: null }),
      );
      expect(answer.body, answer.text).to.include({ default_role: null, admits_owners: true });
      for (const more of [
        { issuer: 'http://127.0.0.1:1' },
        { client_id: 'x' },
        { group_roles: [{ group: 'me', role: 'owner' }] },
      ]) {
        expect(codeOf(await as(admin, 'PUT', stage.settings({ ...same, ...more })))).to.equal('403 INSUFFICIENT_ROLE');
      }
    });
  });

  it('are not for other roles, members of named projects, keys and other organizations', async () => {
    await put();
    const developer = await member({ role: 'developer' });
    const limited = await member({ role: 'admin', project_ids: [...home.owner.projectIds] });
    for (const each of [developer, limited]) {
      expect(codeOf(await as(each, 'GET'))).to.equal('403 INSUFFICIENT_ROLE');
      expect(codeOf(await as(each, 'PUT', stage.settings()))).to.equal('403 INSUFFICIENT_ROLE');
      expect(codeOf(await as(each, 'DELETE'))).to.equal('403 INSUFFICIENT_ROLE');
    }
    const { key } = await stage.api.key();
    expect(codeOf(await stage.api.request('GET', '/v1/sso', { key }))).to.equal('403 SESSION_REQUIRED');
    const other = await stage.home(null);
    expect(codeOf(await other.ask('GET', '/v1/sso'))).to.equal('404 SSO_NOT_CONFIGURED');
    const unknown = { group_roles: [{ group: 'a', role: 'viewer', project_ids: [...home.owner.projectIds] }] };
    expect(codeOf(await other.ask('PUT', '/v1/sso', stage.settings(unknown)))).to.equal('400 VALIDATION_ERROR');
  });

  it('are in the audit log without the secret', async () => {
    await put();
    await stage.api.audit.flush();
    const rows = await database.db.query<{ details: object }>(
      `SELECT details FROM audit_log WHERE organization_id = $1 AND route = '/v1/sso'`,
      [home.organizationId],
    );
    const text = JSON.stringify(rows);
    expect(text).to.contain(stage.peer.issuer).and.not.to.contain(CLIENT.client_secret);
  });

  it('do not take a secret over plain HTTP from elsewhere', async () => {
    const trusting = await stage.accounts.process(['loopback']);
    const headers = { 'X-Forwarded-For': '203.0.113.7', 'X-Forwarded-Proto': 'http' };
    const { access } = await stage.accounts.signIn(home.owner);
    const answer = await trusting.request('PUT', '/v1/sso', { key: access, json: stage.settings(), headers });
    expect(answer.body?.details).to.have.nested.property('[0].path', 'connection');
  });
});
