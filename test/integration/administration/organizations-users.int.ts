import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { EngineError } from '../../../core/ports/engine.js';
import { Users } from '../../../core/data/repositories/accounts/users.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { codeOf } from '../../support/judges/outcome.js';
import { ADMINISTRATOR, AdministrationStage } from '../../support/stages/administration/administration-stage.js';
import { SoftphoneEngine } from '../../support/stages/accounts/softphone-engine.js';
import { sampleRoutes, Gate } from '../../support/sample-routes.js';

const OWNER = { email: 'Salem@Customer.example', name: 'Salem', password: 'nine quiet camels at the well' };
type Made = Record<'organization' | 'project' | 'owner' | 'softphone', Record<string, unknown>>;

describe('organizations and users, for administrators', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AdministrationStage;
  let engine: SoftphoneEngine;
  let count = 0;

  before(async () => {
    database = await testDatabase();
    stage = await AdministrationStage.open(database, sampleRoutes(new Gate()));
    await stage.setUp();
    engine = await SoftphoneEngine.start(stage.stores.db, stage.bus, 'phones');
  });
  after(async () => {
    await engine.stop();
    await stage.close();
    await database.close();
  });

  const create = (more: object = {}, owner: object = {}) =>
    stage.ask('POST', '/organizations', {
      ...{ name: `Customer ${++count}`, tier: 'production', ...more },
      owner: { ...OWNER, email: `salem${count}@customer.example`, ...owner },
    });
  const made = async (): Promise<Made> => {
    const { status, text, body } = await create();
    expect(status, text).to.equal(201);
    return body as unknown as Made;
  };
  const rows = async (table: string): Promise<number> => (await stage.stores.db.query(`SELECT 1 FROM ${table}`)).length;

  describe('a new organization', () => {
    it('has a project and an owner, and is in the audit log', async () => {
      const { status, body } = await create({ name: 'Riyadh Dental', tier: 'sandbox' }, { email: OWNER.email });
      expect(status).to.equal(201);
      const { organization, project, owner } = body as unknown as Made;
      expect(organization).to.include({ name: 'Riyadh Dental', tier: 'sandbox', suspended_at: null });
      expect(owner).to.include({ email: 'salem@customer.example', role: 'owner', has_password: true });
      const read = await stage.done('GET', `/organizations/${String(organization.id)}`);
      expect(read.projects).to.deep.equal([project]);
      const row = await stage.audited('/v1/admin/organizations');
      expect(row).to.include({
        organization_id: organization.id,
        actor: ADMINISTRATOR.email,
        key_id: null,
        user_id: null,
      });
      expect(row?.administrator_id).to.be.a('string');
      expect(JSON.stringify(row)).to.not.contain(OWNER.password);
    });

    it('has a softphone on every engine, and a sandbox one also what it can be tried with', async () => {
      for (const tier of ['production', 'sandbox']) {
        const { status, text, body } = await create({ tier });
        expect(status, text).to.equal(201);
        const { project, softphone, owner } = body as unknown as Made;
        expect(engine.softphones.get(String(softphone.sip_username))?.password).to.equal(softphone.sip_password);
        expect(softphone).to.include({ sip_server: '192.0.2.10:5060', sip_transport: 'udp' });
        const of = [project.id];
        const [agent] = await stage.stores.db.query('SELECT * FROM agents WHERE project_id = $1', of);
        expect(agent).to.include({ agent: '1001', may_call_out: tier === 'production' });
        const numbers = await stage.stores.db.query('SELECT sandbox FROM numbers WHERE project_id = $1', of);
        expect(numbers).to.deep.equal(tier === 'production' ? [] : [{ sandbox: true }]);
        const flows = await stage.stores.db.query('SELECT sandbox FROM callflows WHERE project_id = $1', of);
        expect(flows).to.deep.equal(numbers);
        expect((await new Users(stage.stores.db).get(String(owner.id)))?.agent).to.equal('1001');
      }
      expect(JSON.stringify(await stage.audited('/v1/admin/organizations'))).to.not.contain('sip_password":"');
    });

    it('is not made if an engine refuses its softphone', async () => {
      const before = [await rows('organizations'), await rows('users'), await rows('agents'), await rows('numbers')];
      engine.refusal = new EngineError('rejected', 'no more endpoints');
      expect(codeOf(await create({ tier: 'sandbox' }))).to.equal('502 PBX_PROVISIONING_FAILED');
      engine.refusal = null;
      const after = [await rows('organizations'), await rows('users'), await rows('agents'), await rows('numbers')];
      expect(after).to.deep.equal(before);
    });

    it('without a password sends its owner a link that works for seven days', async () => {
      const { body } = await create({}, { password: undefined });
      const { owner } = body as unknown as Made;
      expect(owner).to.include({ has_password: false, email_confirmed: false });
      const [mail] = await stage.stores.db.query<{ data: { link: string }; recipient: string }>(
        `SELECT data, recipient FROM owner_mails WHERE kind = 'owner_created' ORDER BY id DESC LIMIT 1`,
      );
      expect(mail?.recipient).to.equal(owner.email);
      expect(mail?.data.link).to.match(/^v1\./);
      const [token] = await stage.stores.db.query<{ expires_at: Date }>(
        'SELECT * FROM user_tokens WHERE user_id = $1',
        [owner.id],
      );
      const days = ((token?.expires_at.getTime() ?? 0) - stage.clock.now().getTime()) / 86_400_000;
      expect(days).to.equal(7);
    });

    it('is not made if anything is wrong: nothing is left', async () => {
      const { owner } = await made();
      const before = [await rows('organizations'), await rows('projects'), await rows('users')];
      const taken = await create({}, { email: String(owner.email).toUpperCase() });
      expect(codeOf(taken)).to.equal('409 ADMIN_ORG_OWNER_EMAIL_TAKEN');
      expect(codeOf(await create({}, { password: 'password' }))).to.equal('400 PASSWORD_VALIDATION_FAILED');
      expect(codeOf(await create({}, { email: 'salem' }))).to.equal('400 VALIDATION_ERROR');
      expect(codeOf(await create({ tier: 'gold' }))).to.equal('400 VALIDATION_ERROR');
      expect([await rows('organizations'), await rows('projects'), await rows('users')]).to.deep.equal(before);
    });
  });

  it('organizations are listed by tier, name and suspension, page by page', async () => {
    const [one] = [await made(), await made()];
    await stage.done('PATCH', `/organizations/${String(one.organization.id)}`, {
      name: 'Zamzam 100%',
      suspended: true,
    });
    const idsOf = async (query: string): Promise<unknown[]> =>
      ((await stage.done('GET', `/organizations?${query}`)).data as { id: string }[]).map(({ id }) => id);
    expect(await idsOf('suspended=true&name=zamzam')).to.deep.equal([one.organization.id]);
    expect(await idsOf('name=100%25&tier=sandbox')).to.deep.equal([]);
    const first = await stage.done('GET', '/organizations?limit=1');
    expect(first.data).to.have.length(1);
    const next = await stage.done('GET', `/organizations?limit=1&cursor=${String(first.next_cursor)}`);
    expect(next.data).to.not.deep.equal(first.data);
  });

  it('an organization is changed, with the settings before and after in its audit log', async () => {
    const { organization } = await made();
    const path = `/organizations/${String(organization.id)}`;
    const changes = { tier: 'sandbox', contact_email: null, flags: { verify: false, transfer: true } };
    const changed = await stage.done('PATCH', path, changes);
    expect(changed).to.deep.nested.include({ tier: 'sandbox', 'flags.verify': false, 'flags.transfer': true });
    const reset = await stage.done('PATCH', path, { flags: { verify: null } });
    expect(reset.flags).to.have.property('transfer', true);
    expect(reset.flags).to.not.have.property('verify');
    const row = await stage.audited('/v1/admin/organizations/:organization_id');
    expect(row?.organization_id).to.equal(organization.id);
    expect(row?.details).to.deep.nested.include({
      'before.flags': changed.flags,
      'after.flags': reset.flags,
    });
    expect(codeOf(await stage.ask('PATCH', path, { flags: { no_flag: true } }))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await stage.ask('PATCH', path, { contact_email: 'x' }))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await stage.ask('PATCH', `/organizations/${newId()}`, { name: 'x' }))).to.equal('404 NOT_FOUND');
    expect(codeOf(await stage.ask('GET', '/organizations/nonsense'))).to.equal('404 NOT_FOUND');
  });

  it('a suspended organization’s keys are refused, and work again once it is lifted', async () => {
    const { organization, project } = await made();
    const { key } = await stage.api.key({ projectId: String(project.id) });
    const asKey = async (): Promise<string> => {
      stage.api.authenticator.clearCache();
      return codeOf(await stage.api.request('GET', '/v1/orders', { key }));
    };
    const path = `/organizations/${String(organization.id)}`;
    expect(await asKey()).to.equal('200');
    await stage.done('PATCH', path, { suspended: true });
    const { suspended_at } = await stage.done('GET', path);
    await stage.clock.advance(1000);
    await stage.done('PATCH', path, { suspended: true });
    expect((await stage.done('GET', path)).suspended_at).to.equal(suspended_at);
    expect(await asKey()).to.equal('403 INSUFFICIENT_PERMISSIONS');
    await stage.done('PATCH', path, { suspended: false });
    expect(await asKey()).to.equal('200');
  });

  describe('users', () => {
    it('are found by address or name, in one organization or all', async () => {
      const { organization, owner } = await made();
      const found = async (query: string): Promise<unknown[]> =>
        ((await stage.done('GET', `/users?${query}`)).data as { id: string }[]).map(({ id }) => id);
      expect(await found(`q=${encodeURIComponent(String(owner.email).toUpperCase())}`)).to.deep.equal([owner.id]);
      expect(await found(`organization_id=${String(organization.id)}`)).to.deep.equal([owner.id]);
      expect(await found('q=nobody')).to.deep.equal([]);
      expect(await stage.done('GET', `/users/${String(owner.id)}`)).to.include({ email: owner.email });
    });

    it('that do not exist are not found', async () => {
      const path = `/users/${newId()}`;
      const answers = [
        await stage.ask('GET', path),
        await stage.ask('GET', '/users/nonsense'),
        await stage.ask('PATCH', path, { disabled: true }),
        await stage.ask('DELETE', `${path}/sessions`),
        await stage.ask('POST', `${path}/impersonate`, { reason: 'x' }),
      ];
      expect(new Set(answers.map(codeOf))).to.deep.equal(new Set(['404 ADMIN_USER_NOT_FOUND']));
    });

    it('are seen as they see it for half an hour, reading only, and all of it is audited', async () => {
      const { organization, project, owner } = await made();
      const path = `/users/${String(owner.id)}/impersonate`;
      const { access_token, expires_in, user } = await stage.done('POST', path, { reason: 'ticket 7' });
      expect([expires_in, (user as { id: string }).id]).to.deep.equal([1800, owner.id]);
      const start = await stage.audited('/v1/admin/users/:user_id/impersonate');
      expect(start).to.include({ organization_id: organization.id, actor: ADMINISTRATOR.email });
      expect(start?.details).to.deep.nested.include({ 'values.reason': 'ticket 7' });
      const as = (method: string, json?: object) =>
        stage.api.request(method, '/v1/orders', { key: String(access_token), ...(json && { json }) });
      expect(codeOf(await as('GET'))).to.equal('200');
      const seen = await stage.audited('/v1/orders');
      expect(seen).to.include({ method: 'GET', user_id: owner.id, project_id: project.id, actor: owner.email });
      expect(seen?.administrator_id).to.equal(start?.administrator_id);
      expect(codeOf(await as('POST', { name: 'x' }))).to.equal('403 INSUFFICIENT_PERMISSIONS');
      expect(codeOf(await stage.ask('GET', '/organizations', undefined, { key: String(access_token) }))).to.equal(
        '401 ADMIN_UNAUTHORIZED',
      );
      await stage.clock.advance(20 * 60_000);
      await stage.done('GET', '/me');
      await stage.clock.advance(11 * 60_000);
      expect(codeOf(await as('GET'))).to.equal('401 EXPIRED_ACCESS_TOKEN');
      expect(codeOf(await stage.ask('POST', path, {}))).to.equal('400 VALIDATION_ERROR');
    });

    it('are disabled, which ends their sessions, and enabled again', async () => {
      const { owner } = await made();
      const path = `/users/${String(owner.id)}`;
      const { access_token } = await stage.done('POST', `${path}/impersonate`, { reason: 'x' });
      const { disabled_at } = await stage.done('PATCH', path, { disabled: true });
      expect(disabled_at).to.equal(stage.clock.now().toISOString());
      expect(codeOf(await stage.api.request('GET', '/v1/orders', { key: String(access_token) }))).to.equal(
        '401 INVALID_ACCESS_TOKEN',
      );
      expect(codeOf(await stage.ask('POST', `${path}/impersonate`, { reason: 'x' }))).to.equal('400 VALIDATION_ERROR');
      expect((await stage.audited('/v1/admin/users/:user_id'))?.details).to.deep.nested.include({
        'before.disabled': false,
        'after.disabled': true,
      });
      expect(await stage.done('PATCH', path, { disabled: false })).to.include({ disabled_at: null });
      expect((await new Users(stage.stores.db).get(String(owner.id)))?.disabled_at).to.equal(null);
    });

    it('lose every session', async () => {
      const { owner } = await made();
      const path = `/users/${String(owner.id)}`;
      await stage.done('POST', `${path}/impersonate`, { reason: 'x' });
      await stage.done('DELETE', `${path}/sessions`);
      const left = await stage.stores.db.query('SELECT 1 FROM sessions WHERE user_id = $1 AND revoked_at IS NULL', [
        owner.id,
      ]);
      expect(left).to.deep.equal([]);
    });
  });
});
