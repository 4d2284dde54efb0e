import { expect } from 'chai';
import { purgeKeptSecrets } from '../../../core/data/repositories/accounts/member-keys.js';
import { newId } from '../../../core/model/ids.js';
import type { Answer } from '../../support/api.js';
import type { TestMember } from '../../support/rows/members.js';
import { codeOf } from '../../support/judges/outcome.js';
import {
  organizationEach,
  type OrganizationStage,
  type TestOrganization,
} from '../../support/stages/accounts/organization-stage.js';

const MINUTE_MS = 60_000;

describe('API keys of members', function () {
  this.timeout(60_000);
  let stage: OrganizationStage;
  let home: TestOrganization;

  organizationEach((started, made) => ([stage, home] = [started, made]), { key_reveal: true });

  const create = (more: object = {}, by: TestMember = home.owner): Promise<Answer> =>
    stage.as(by, 'POST', '/v1/keys', { project_id: home.project.id, name: 'shop', kind: 'live', ...more });
  const orders = (secret: unknown): Promise<string> =>
    stage.api.request('GET', '/v1/orders', { key: String(secret) }).then(codeOf);

  it('show their secret once, and work', async () => {
    const made = await create({ scopes: ['calls:read'] });
    expect(codeOf(made)).to.equal('201');
    const { id, secret } = made.body ?? {};
    expect(await orders(secret)).to.equal('200');
    const read = await stage.as(home.owner, 'GET', `/v1/keys/${String(id)}`);
    expect(read.body).to.deep.include({ name: 'shop', kind: 'live', status: 'active', scopes: ['calls:read'] });
    const list = await stage.as(home.owner, 'GET', '/v1/keys');
    for (const answer of [read, list]) expect(answer.text).not.to.include(String(secret));
  });

  it('never have scopes that the role of their maker lacks', async () => {
    const developer = await stage.member(home.organization, { role: 'developer' });
    expect(codeOf(await create({ scopes: ['billing:read'] }, developer))).to.equal('403 INSUFFICIENT_ROLE');
    const usual = await create({}, developer);
    expect(usual.body?.scopes).to.include('calls:write').and.not.include('billing:read');
    expect(usual.body?.scopes).not.to.include('pii:read');
    const rich = await create({ scopes: ['billing:read', 'calls:read'] });
    const path = `/v1/keys/${String(rich.body?.id)}`;
    expect(codeOf(await stage.as(developer, 'POST', `${path}/rotate`))).to.equal('403 INSUFFICIENT_ROLE');
    expect(codeOf(await stage.as(developer, 'PATCH', path, { name: 'renamed' }))).to.equal('200');
    const more = await stage.as(developer, 'PATCH', path, { scopes: ['billing:read', 'billing:write'] });
    expect(codeOf(more)).to.equal('403 INSUFFICIENT_ROLE');
    const unknown = await create({ scopes: ['calls:read', 'orders:eat', 'orders:drink'] });
    expect(codeOf(unknown)).to.equal('400 INVALID_SCOPE');
    expect(unknown.body?.message).to.include('orders:eat, orders:drink');
  });

  it('are live only in production, and for a confirmed address', async () => {
    const sandbox = await stage.organization('sandbox');
    const body = { project_id: sandbox.project.id, name: 'shop', kind: 'live' };
    expect(codeOf(await stage.as(sandbox.owner, 'POST', '/v1/keys', body))).to.equal('403 PRODUCTION_TIER_REQUIRED');
    expect(codeOf(await stage.as(sandbox.owner, 'POST', '/v1/keys', { ...body, kind: 'sandbox' }))).to.equal('201');
    const unconfirmed = await stage.member(home.organization, { email_confirmed_at: null });
    expect(codeOf(await create({}, unconfirmed))).to.equal('403 EMAIL_NOT_CONFIRMED');
    expect(codeOf(await create({ kind: 'sandbox' }, unconfirmed))).to.equal('201');
  });

  it('get a new secret, and the old one stops working', async () => {
    const { body } = await create({ scopes: ['calls:read'] });
    const rotated = await stage.as(home.owner, 'POST', `/v1/keys/${String(body?.id)}/rotate`);
    expect(codeOf(rotated)).to.equal('200');
    expect(rotated.body?.id).to.equal(body?.id);
    expect(await orders(body?.secret)).to.equal('401 INVALID_API_KEY');
    expect(await orders(rotated.body?.secret)).to.equal('200');
  });

  it('that are revoked stay so', async () => {
    const { body } = await create({ scopes: ['calls:read'] });
    const path = `/v1/keys/${String(body?.id)}`;
    expect(codeOf(await stage.as(home.owner, 'DELETE', path))).to.equal('204');
    expect(codeOf(await stage.as(home.owner, 'DELETE', path))).to.equal('204');
    expect(await orders(body?.secret)).to.equal('401 REVOKED_API_KEY');
    expect(codeOf(await stage.as(home.owner, 'POST', `${path}/rotate`))).to.equal('404 API_KEY_NOT_FOUND');
    expect(codeOf(await stage.as(home.owner, 'PATCH', path, { name: 'x' }))).to.equal('404 API_KEY_NOT_FOUND');
    expect(codeOf(await stage.as(home.owner, 'GET', `${path}/reveal`))).to.equal('410 API_KEY_REVEAL_UNAVAILABLE');
  });

  it('are revealed to owners and admins who just confirmed, and each time is audited', async () => {
    const { body } = await create();
    const path = `/v1/keys/${String(body?.id)}/reveal`;
    const revealed = await stage.as(home.owner, 'GET', path);
    expect(revealed.body).to.deep.equal({ id: body?.id, secret: body?.secret });
    await stage.api.audit.flush();
    const rows = await stage.database.db.query(`SELECT * FROM audit_log WHERE path = $1`, [path]);
    expect(rows).to.have.length(1);
    expect(JSON.stringify(rows)).not.to.include(String(body?.secret));

    const developer = await stage.member(home.organization, { role: 'developer' });
    const viewer = await stage.member(home.organization, { role: 'viewer' });
    const stale = await stage.member(
      home.organization,
      { role: 'admin' },
      {
        confirmed_at: new Date(stage.clock.now().getTime() - 5 * MINUTE_MS),
      },
    );
    const actedFor = await stage.member(home.organization, {}, { impersonated_by: newId() });
    for (const member of [developer, viewer, stale, actedFor]) {
      expect(codeOf(await stage.as(member, 'GET', path)), member.user.role).to.equal('403 API_KEY_REVEAL_FORBIDDEN');
    }
    const admin = await stage.member(home.organization, { role: 'admin' });
    expect(codeOf(await stage.as(admin, 'GET', path))).to.equal('200');
    const unknown = await stage.as(admin, 'GET', `/v1/keys/${newId()}/reveal`);
    expect(codeOf(unknown)).to.equal('404 API_KEY_NOT_FOUND');
  });

  it('are revealed only if the organization allowed it all the time', async () => {
    const { body } = await create();
    const path = `/v1/keys/${String(body?.id)}/reveal`;
    const set = (key_reveal: boolean) => stage.as(home.owner, 'PATCH', '/v1/organization', { key_reveal });
    expect(codeOf(await set(false))).to.equal('200');
    expect(codeOf(await stage.as(home.owner, 'GET', path))).to.equal('403 API_KEY_REVEAL_FORBIDDEN');
    const later = await create();
    expect(codeOf(await set(true))).to.equal('200');
    expect(codeOf(await stage.as(home.owner, 'GET', path))).to.equal('410 API_KEY_REVEAL_UNAVAILABLE');
    const other = `/v1/keys/${String(later.body?.id)}/reveal`;
    expect(codeOf(await stage.as(home.owner, 'GET', other))).to.equal('410 API_KEY_REVEAL_UNAVAILABLE');
    await stage.api.audit.flush();
    const [row] = await stage.database.db.query<{ details: object }>(
      `SELECT details FROM audit_log WHERE path = '/v1/organization' AND organization_id = $1 ORDER BY id LIMIT 1`,
      [home.organization.id],
    );
    expect(row?.details).to.deep.include({ before: { key_reveal: true }, after: { key_reveal: false } });
  });

  it('are kept for 30 days', async () => {
    const { body } = await create();
    const { db } = stage.database;
    const made = stage.clock.now().getTime();
    expect(await purgeKeptSecrets(db, new Date(made), 10)).to.equal(0);
    expect(await purgeKeptSecrets(db, new Date(made + 1), 1000)).to.be.greaterThan(0);
    const path = `/v1/keys/${String(body?.id)}/reveal`;
    expect(codeOf(await stage.as(home.owner, 'GET', path))).to.equal('410 API_KEY_REVEAL_UNAVAILABLE');
  });

  it('of other organizations and of projects that the member does not have do not exist', async () => {
    const { body } = await create();
    const other = await stage.organization();
    const elsewhere = await stage.as(home.owner, 'POST', '/v1/projects', { name: 'elsewhere' });
    const limited = await stage.member(home.organization, {
      role: 'developer',
      project_ids: [String(elsewhere.body?.id)],
    });
    for (const member of [other.owner, limited]) {
      const path = `/v1/keys/${String(body?.id)}`;
      expect(codeOf(await stage.as(member, 'GET', path))).to.equal('404 API_KEY_NOT_FOUND');
      expect(codeOf(await stage.as(member, 'DELETE', path))).to.equal('404 API_KEY_NOT_FOUND');
      expect(codeOf(await create({}, member))).to.equal('404 PROJECT_NOT_FOUND');
      expect((await stage.as(member, 'GET', '/v1/keys')).body?.data).to.deep.equal([]);
    }
    expect(
      await stage.database.db.query(`SELECT 1 FROM api_keys WHERE revoked_at IS NOT NULL AND id = $1`, [body?.id]),
    ).to.deep.equal([]);
  });
});
