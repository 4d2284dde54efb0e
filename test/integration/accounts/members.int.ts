import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { codeOf } from '../../support/judges/outcome.js';
import {
  organizationEach,
  type OrganizationStage,
  type TestOrganization,
} from '../../support/stages/accounts/organization-stage.js';

describe('Members', function () {
  this.timeout(60_000);
  let stage: OrganizationStage;
  let home: TestOrganization;

  organizationEach((started, made) => ([stage, home] = [started, made]));

  it('are listed for those who manage them, and for nobody else', async () => {
    const viewer = await stage.member(home.organization, { role: 'viewer' });
    await stage.organization();
    const answer = await stage.as(home.owner, 'GET', '/v1/members');
    const listed = (answer.body?.data as { id: string }[]).map(({ id }) => id);
    expect(listed).to.deep.equal([home.owner.user.id, viewer.user.id]);
    expect(codeOf(await stage.as(viewer, 'GET', '/v1/members'))).to.equal('403 INSUFFICIENT_ROLE');
    const one = await stage.as(home.owner, 'GET', `/v1/members/${viewer.user.id}`);
    expect(one.body).to.include({ email: viewer.user.email, role: 'viewer', disabled: false });
  });

  it('of other organizations do not exist', async () => {
    const other = await stage.organization();
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const path = `/v1/members/${other.owner.user.id}`;
      const answer = await stage.as(home.owner, method, path, method === 'PATCH' ? { role: 'viewer' } : undefined);
      expect(codeOf(answer), method).to.equal('404 NOT_FOUND');
    }
    expect(codeOf(await stage.as(other.owner, 'GET', '/v1/organization'))).to.equal('200');
  });

  it('have a new role in every process within two seconds', async () => {
    const second = await stage.process();
    const admin = await stage.member(home.organization, { role: 'admin' });
    const list = (): Promise<string> => stage.as(admin, 'GET', '/v1/members', undefined, second).then(codeOf);
    expect(await list()).to.equal('200');
    const path = `/v1/members/${admin.user.id}`;
    expect(codeOf(await stage.as(home.owner, 'PATCH', path, { role: 'viewer' }))).to.equal('200');
    expect(codeOf(await stage.as(admin, 'GET', '/v1/members'))).to.equal('403 INSUFFICIENT_ROLE');
    await stage.clock.advance(2_001);
    expect(await list()).to.equal('403 INSUFFICIENT_ROLE');
    await second.close();
  });

  it('that are removed are signed out', async () => {
    const gone = await stage.member(home.organization, { role: 'developer' });
    expect(codeOf(await stage.as(home.owner, 'DELETE', `/v1/members/${gone.user.id}`))).to.equal('204');
    expect(codeOf(await stage.as(gone, 'GET', '/v1/organization'))).to.equal('401 INVALID_ACCESS_TOKEN');
    expect(codeOf(await stage.as(home.owner, 'DELETE', `/v1/members/${gone.user.id}`))).to.equal('404 NOT_FOUND');
  });

  it('cannot give or take a role above the own one', async () => {
    const admin = await stage.member(home.organization, { role: 'admin' });
    const viewer = await stage.member(home.organization, { role: 'viewer' });
    const promote = await stage.as(admin, 'PATCH', `/v1/members/${viewer.user.id}`, { role: 'owner' });
    expect(codeOf(promote)).to.equal('403 INSUFFICIENT_ROLE');
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { role: 'viewer' } : undefined;
      const answer = await stage.as(admin, method, `/v1/members/${home.owner.user.id}`, body);
      expect(codeOf(answer), method).to.equal('403 INSUFFICIENT_ROLE');
    }
    const allowed = await stage.as(admin, 'PATCH', `/v1/members/${viewer.user.id}`, { role: 'developer' });
    expect(codeOf(allowed)).to.equal('200');
  });

  it('of named projects manage only members of these projects', async () => {
    const limited = await stage.member(home.organization, { role: 'admin', project_ids: [home.project.id] });
    const everywhere = await stage.member(home.organization, { role: 'viewer' });
    const answer = await stage.as(limited, 'PATCH', `/v1/members/${everywhere.user.id}`, { role: 'finance' });
    expect(codeOf(answer)).to.equal('403 INSUFFICIENT_ROLE');
    const own = await stage.member(home.organization, { role: 'viewer', project_ids: [home.project.id] });
    const widened = await stage.as(limited, 'PATCH', `/v1/members/${own.user.id}`, { project_ids: null });
    expect(codeOf(widened)).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await stage.as(limited, 'PATCH', `/v1/members/${own.user.id}`, { role: 'finance' }))).to.equal('200');
    expect(codeOf(await stage.as(limited, 'PATCH', '/v1/organization', { name: 'X' }))).to.equal(
      '403 INSUFFICIENT_ROLE',
    );
  });

  it('need projects and an extension that exist', async () => {
    const { user } = await stage.member(home.organization, { role: 'viewer' });
    const change = (body: object) => stage.as(home.owner, 'PATCH', `/v1/members/${user.id}`, body);
    const other = await stage.organization();
    for (const body of [
      { project_ids: [other.project.id] },
      { project_ids: [newId()] },
      { agent: '9999' },
      { role: 'agent' },
      { role: 'owner', project_ids: [home.project.id] },
      { role: 'emperor' },
    ]) {
      expect(codeOf(await change(body)), JSON.stringify(body)).to.equal('400 VALIDATION_ERROR');
    }
    expect(codeOf(await change({ project_ids: [home.project.id] }))).to.equal('200');
  });

  it('always include an owner', async () => {
    const path = `/v1/members/${home.owner.user.id}`;
    expect(codeOf(await stage.as(home.owner, 'DELETE', path))).to.equal('409 LAST_OWNER');
    expect(codeOf(await stage.as(home.owner, 'PATCH', path, { role: 'admin' }))).to.equal('409 LAST_OWNER');
    await stage.member(home.organization, { disabled_at: new Date() });
    expect(codeOf(await stage.as(home.owner, 'DELETE', path))).to.equal('409 LAST_OWNER');
    await stage.member(home.organization);
    expect(codeOf(await stage.as(home.owner, 'PATCH', path, { role: 'admin' }))).to.equal('200');
  });

  it('include an owner even if all owners leave at the same moment', async () => {
    const owners = [home.owner, await stage.member(home.organization), await stage.member(home.organization)];
    const answers = await Promise.all(
      owners.map((owner, index) => {
        const path = `/v1/members/${owner.user.id}`;
        return index === 0 ? stage.as(owner, 'PATCH', path, { role: 'viewer' }) : stage.as(owner, 'DELETE', path);
      }),
    );
    expect(answers.filter(({ status }) => status >= 300).map(codeOf)).to.deep.equal(['409 LAST_OWNER']);
    const [left] = await stage.database.db.query<{ owners: number }>(
      `SELECT count(*)::int AS owners FROM users WHERE organization_id = $1 AND role = 'owner'`,
      [home.organization.id],
    );
    expect(left?.owners).to.equal(1);
  });

  it('cannot remove each other after they lost the role themselves', async () => {
    const second = await stage.member(home.organization);
    const answers = await Promise.all([
      stage.as(home.owner, 'DELETE', `/v1/members/${second.user.id}`),
      stage.as(second, 'DELETE', `/v1/members/${home.owner.user.id}`),
    ]);
    expect(answers.filter(({ status }) => status === 204)).to.have.length(1);
  });

  it('cannot be managed with an API key', async () => {
    const { key } = await stage.api.key({ projectId: home.project.id });
    expect(codeOf(await stage.api.request('GET', '/v1/members', { key }))).to.equal('403 SESSION_REQUIRED');
  });
});
