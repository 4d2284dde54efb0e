import { expect } from 'chai';
import { Sessions } from '../../../core/data/repositories/accounts/sessions.js';
import { Users } from '../../../core/data/repositories/accounts/users.js';
import { AdministerUsers } from '../../../core/services/administration/users.js';
import { codeOf } from '../../support/judges/outcome.js';
import type { Answer } from '../../support/api.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { PASSWORD } from '../../support/stages/accounts/accounts-stage.js';
import { type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';
import { Directory, refused } from '../../support/stages/accounts/directory.js';

describe('Members that a directory takes out', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;
  let scim: Directory;

  signOnEach((...made) => ([stage, home, database] = made));
  beforeEach(async () => {
    scim = await Directory.of(stage, home);
  });

  for (const [what, leave] of [
    [
      'because they are not active',
      (id: string) => scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
    ],
    ['because they are removed', (id: string) => scim.ask('DELETE', `/Users/${id}`)],
  ] as const) {
    it(`${what}, lose sessions, own keys and links within two seconds in every process`, async () => {
      const other = await stage.accounts.process();
      const developer = await stage.accounts.signUp({
        of: home.owner,
        user: { email: scim.address(), role: 'developer' },
      });
      const { access, refresh } = await stage.accounts.signIn(developer);
      const json = { project_id: home.owner.projectIds[0], name: 'mine', kind: 'live' };
      const made = await stage.api.request('POST', '/v1/keys', { key: access, json });
      const secret = String(made.body?.secret);
      const theirs = await home.ask('POST', '/v1/keys', json);
      const ask = (api: typeof other, key: string, path: string): Promise<Answer> => api.request('GET', path, { key });
      expect((await ask(other, access, '/v1/me')).status).to.equal(200);
      expect((await ask(other, secret, '/v1/orders')).status).to.equal(200);
      const { status } = await leave(developer.row.id);
      expect(status).to.be.within(200, 204);
      expect(codeOf(await ask(stage.api, access, '/v1/me'))).to.equal('401 INVALID_ACCESS_TOKEN');
      expect(codeOf(await ask(stage.api, secret, '/v1/orders'))).to.equal('401 REVOKED_API_KEY');
      await stage.accounts.clock.advance(2_001);
      expect(codeOf(await ask(other, access, '/v1/me'))).to.equal('401 INVALID_ACCESS_TOKEN');
      expect(codeOf(await ask(other, secret, '/v1/orders'))).to.equal('401 REVOKED_API_KEY');
      expect((await ask(other, String(theirs.body?.secret), '/v1/orders')).status).to.equal(200);
      const refreshed = await other.request('POST', '/v1/sessions/refresh', { json: { refresh_token: refresh } });
      expect(codeOf(refreshed)).to.equal('401 INVALID_REFRESH_TOKEN');
      const signIn = { json: { email: developer.row.email, password: PASSWORD } };
      expect(codeOf(await other.request('POST', '/v1/sessions', signIn))).to.equal('401 INVALID_CREDENTIALS');
      const back = await stage.signOn(home, { sub: developer.row.id, email: developer.row.email });
      // Who was removed is new to the organization, and its identity provider lets it in.
      expect(codeOf(back)).to.equal(status === 204 ? '303' : '403 SSO_NOT_ADMITTED');
    });
  }

  it('keep their keys if the owner wants that', async () => {
    scim = await Directory.of(stage, home, 'keep');
    const developer = await stage.accounts.signUp({
      of: home.owner,
      user: { email: scim.address(), role: 'developer' },
    });
    const { access } = await stage.accounts.signIn(developer);
    const json = { project_id: home.owner.projectIds[0], name: 'mine', kind: 'live' };
    const made = await stage.api.request('POST', '/v1/keys', { key: access, json });
    await scim.ask('DELETE', `/Users/${developer.row.id}`);
    const key = String(made.body?.secret);
    expect((await stage.api.request('GET', '/v1/orders', { key })).status).to.equal(200);
  });

  it('come back when they are active again, unless an administrator of the installation disabled them', async () => {
    const made = await scim.createUser();
    const active = (value: boolean) => scim.patch(`/Users/${made.id}`, { op: 'replace', path: 'active', value });
    await active(false);
    await active(true);
    expect((await stage.userOf(made.userName))?.disabled_at).to.equal(null);
    await active(false);
    const { db } = database;
    const administer = new AdministerUsers({
      ...{ db, users: new Users(db), sessions: new Sessions(db), clock: stage.accounts.clock },
      onChanged: () => undefined,
    });
    await administer.setDisabled(made.id, true);
    expect((await active(true)).body).to.include({ active: true });
    expect((await stage.userOf(made.userName))?.disabled_at).to.not.equal(null);
  });

  it('without a role wait, and enter as soon as there is one', async () => {
    await home.ask('PUT', '/v1/sso', stage.settings({ default_role: null }));
    const made = await scim.createUser();
    expect(made.active).to.equal(true);
    expect(await stage.userOf(made.userName)).to.deep.include({ role: 'viewer', project_ids: [] });
    expect((await stage.userOf(made.userName))?.disabled_at).to.not.equal(null);
    expect(codeOf(await stage.signOn(home, { sub: made.id, email: made.userName }))).to.equal('403 SSO_NOT_ADMITTED');
    await scim.patch(`/Users/${made.id}`, { op: 'replace', path: 'displayName', value: 'Still waiting' });
    expect((await stage.userOf(made.userName))?.disabled_at).to.not.equal(null);
    await home.ask('PUT', '/v1/sso', stage.settings({ default_role: 'developer' }));
    expect(await stage.userOf(made.userName)).to.deep.include({
      role: 'developer',
      project_ids: null,
      disabled_at: null,
    });
  });

  it('never lose the last owner', async () => {
    const { id } = home.owner.row;
    refused(await scim.ask('DELETE', `/Users/${id}`), 409, undefined, 'last owner');
    refused(
      await scim.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
      409,
      undefined,
      'last owner',
    );
    refused(
      await scim.ask('PUT', `/Users/${id}`, scim.user({ userName: home.owner.row.email, active: false })),
      409,
      undefined,
      'last owner',
    );
    const second = await stage.accounts.signUp({ of: home.owner, user: { email: scim.address() } });
    const answers = await Promise.all([
      scim.ask('DELETE', `/Users/${id}`),
      scim.ask('DELETE', `/Users/${second.row.id}`),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([204, 409]);
  });
});
