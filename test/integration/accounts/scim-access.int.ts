import { expect } from 'chai';
import { addAdministrator } from '../../support/rows/administrators.js';
import { addMember } from '../../support/rows/members.js';
import { codeOf } from '../../support/judges/outcome.js';
import type { TestDatabase } from '../../support/platform/database.js';
import { SITE } from '../../support/stages/accounts/credentials-stage.js';
import { type SsoStage, type SsoHome, signOnEach } from '../../support/stages/accounts/sso-stage.js';
import { Directory, refused, USER } from '../../support/stages/accounts/directory.js';

describe('The service for directories', function () {
  this.timeout(60_000);
  let stage: SsoStage;
  let database: TestDatabase;
  let home: SsoHome;
  let scim: Directory;

  signOnEach((...made) => ([stage, home, database] = made));
  beforeEach(async () => {
    scim = await Directory.of(stage, home);
  });

  describe('takes a token', () => {
    it('of the organization, which an owner makes, replaces and removes', async () => {
      const read = await home.ask('GET', '/v1/scim/token');
      expect(read.body).to.deep.include({ base_url: `${SITE}/scim/v2`, keys_of_leavers: 'revoke' });
      expect(read.text).to.not.contain(scim.token);
      const stored = JSON.stringify(await database.db.query(`SELECT * FROM scim_tokens`));
      expect(stored).to.not.contain(scim.token);
      const next = await Directory.of(stage, home);
      refused(await scim.ask('GET', '/Users'), 401, undefined, 'no valid SCIM token');
      expect((await next.ask('GET', '/Users')).status).to.equal(200);
      expect((await home.ask('DELETE', '/v1/scim/token')).status).to.equal(204);
      refused(await next.ask('GET', '/Users'), 401, undefined, 'no valid SCIM token');
      expect(codeOf(await home.ask('DELETE', '/v1/scim/token'))).to.equal('404 NOT_FOUND');
      expect(codeOf(await home.ask('GET', '/v1/scim/token'))).to.equal('404 NOT_FOUND');
    });

    it('that stops within two seconds in another process', async () => {
      const other = await stage.accounts.process();
      const ask = () => other.request('GET', '/scim/v2/Users', { key: scim.token });
      expect((await ask()).status).to.equal(200);
      await home.ask('DELETE', '/v1/scim/token');
      await stage.accounts.clock.advance(2_001);
      expect((await ask()).status).to.equal(401);
    });

    it('and no other', async () => {
      const { key } = await stage.api.key();
      const { access } = await stage.accounts.signIn(home.owner);
      for (const given of [key, access, 'scim_x', await addAdministrator(database.db)]) {
        refused(
          await stage.api.request('GET', '/scim/v2/Users', { key: given }),
          401,
          undefined,
          'no valid SCIM token',
        );
      }
      const none = await stage.api.request('GET', '/scim/v2/Users');
      refused(none, 401, undefined, 'no valid SCIM token');
      expect(none.headers.get('www-authenticate')).to.equal('Bearer');
      expect(codeOf(await stage.api.request('GET', '/v1/me', { key: scim.token }))).to.equal('401 INVALID_API_KEY');
    });

    it('that only owners make', async () => {
      for (const role of ['admin', 'developer'] as const) {
        const { token } = await addMember(database.db, home.organizationId, { role }, {}, stage.accounts.clock.now());
        for (const method of ['GET', 'POST', 'DELETE']) {
          const options = { key: token, ...(method === 'POST' && { json: {} }) };
          expect(codeOf(await stage.api.request(method, '/v1/scim/token', options))).to.equal('403 INSUFFICIENT_ROLE');
        }
      }
    });

    it('whose organization is not suspended', async () => {
      await database.db.query(`UPDATE organizations SET suspended_at = now() WHERE id = $1`, [home.organizationId]);
      await stage.accounts.clock.advance(2_001);
      refused(await scim.ask('GET', '/Users'), 403, undefined, 'an active organization');
    });
  });

  it('hides the members of others', async () => {
    const made = await scim.createUser();
    const stranger = await Directory.of(stage, await stage.home());
    refused(await stranger.ask('GET', `/Users/${made.id}`), 404, undefined, 'the user');
    refused(await stranger.ask('PUT', `/Users/${made.id}`, scim.user()), 404, undefined, 'the user');
    refused(
      await stranger.patch(`/Users/${made.id}`, { op: 'remove', path: 'externalId' }),
      404,
      undefined,
      'the user',
    );
    refused(await stranger.ask('DELETE', `/Users/${made.id}`), 404, undefined, 'the user');
    const found = await stranger.ask('GET', `/Users?filter=${encodeURIComponent(`userName eq "${made.userName}"`)}`);
    expect(found.body).to.include({ totalResults: 0 });
    refused(await stranger.ask('GET', '/Users/not-an-id'), 404, undefined, '');
  });

  it('describes itself', async () => {
    const config = await scim.ask('GET', '/ServiceProviderConfig');
    expect(config.body?.patch).to.deep.equal({ supported: true });
    expect(config.body?.bulk).to.deep.include({ supported: false });
    const types = await scim.ask('GET', '/ResourceTypes');
    expect(types.body).to.include({ totalResults: 2 });
    expect((await scim.ask('GET', '/ResourceTypes/User')).body).to.include({ endpoint: '/Users', schema: USER });
    const schemas = await scim.ask('GET', '/Schemas');
    expect(schemas.body).to.include({ totalResults: 2 });
    const one = await scim.ask('GET', `/Schemas/${USER}`);
    expect(one.body, one.text).to.include({ id: USER, name: 'User' });
    for (const path of ['/Schemas/unknown', '/ResourceTypes/Device', '/Unknown', '/Me']) {
      refused(await scim.ask('GET', path), 404, undefined, '');
    }
    refused(await scim.ask('PUT', '/Users'), 405, undefined, 'GET');
  });

  it('is in the audit log', async () => {
    const made = await scim.createUser();
    await stage.api.audit.flush();
    const rows = await database.db.query<{ actor: string; details: object }>(
      `SELECT actor, details FROM audit_log WHERE organization_id = $1 AND route = '/scim/v2/Users'`,
      [home.organizationId],
    );
    expect(rows).to.have.length(1);
    expect(rows[0]).to.include({ actor: 'SCIM' });
    expect(JSON.stringify(rows)).to.contain(made.userName).and.not.to.contain('Alharbi');
  });
});
