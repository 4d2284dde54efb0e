import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { callRow, engineRow, insertRows, numberRow } from '../../support/rows/rows.js';
import { codeOf } from '../../support/judges/outcome.js';
import {
  organizationEach,
  type OrganizationStage,
  type TestOrganization,
} from '../../support/stages/accounts/organization-stage.js';

describe('Projects', function () {
  this.timeout(60_000);
  let stage: OrganizationStage;
  let home: TestOrganization;

  organizationEach((started, made) => ([stage, home] = [started, made]));

  it('are added, renamed and listed', async () => {
    const made = await stage.as(home.owner, 'POST', '/v1/projects', { name: 'laboratory' });
    expect(codeOf(made)).to.equal('201');
    const path = `/v1/projects/${String(made.body?.id)}`;
    const renamed = await stage.as(home.owner, 'PATCH', path, { name: 'lab' });
    expect(renamed.body).to.deep.equal({ ...made.body, name: 'lab' });
    const list = await stage.as(home.owner, 'GET', '/v1/projects');
    expect((list.body?.data as { name: string }[]).map(({ name }) => name)).to.deep.equal(['clinic', 'lab']);
    expect(codeOf(await stage.as(home.owner, 'GET', path))).to.equal('200');
  });

  it('are those of the member only', async () => {
    const other = await stage.organization();
    const made = await stage.as(home.owner, 'POST', '/v1/projects', { name: 'laboratory' });
    const limited = await stage.member(home.organization, { role: 'admin', project_ids: [String(made.body?.id)] });
    const list = await stage.as(limited, 'GET', '/v1/projects');
    expect((list.body?.data as { name: string }[]).map(({ name }) => name)).to.deep.equal(['laboratory']);
    for (const member of [limited, other.owner]) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { name: 'x' } : undefined;
        const answer = await stage.as(member, method, `/v1/projects/${home.project.id}`, body);
        expect(codeOf(answer), method).to.equal('404 PROJECT_NOT_FOUND');
      }
    }
    expect(codeOf(await stage.as(limited, 'POST', '/v1/projects', { name: 'x' }))).to.equal('403 INSUFFICIENT_ROLE');
    const developer = await stage.member(home.organization, { role: 'developer' });
    expect(codeOf(await stage.as(developer, 'POST', '/v1/projects', { name: 'x' }))).to.equal('403 INSUFFICIENT_ROLE');
    expect(codeOf(await stage.as(developer, 'GET', '/v1/projects'))).to.equal('200');
  });

  it('are removed with their keys, and members lose them', async () => {
    const { key } = await stage.api.key({ projectId: home.project.id });
    const member = await stage.member(home.organization, { role: 'viewer', project_ids: [home.project.id] });
    const path = `/v1/projects/${home.project.id}`;
    expect(codeOf(await stage.as(home.owner, 'DELETE', path))).to.equal('204');
    expect(stage.announced).to.be.greaterThan(0);
    expect(codeOf(await stage.as(home.owner, 'GET', path))).to.equal('404 PROJECT_NOT_FOUND');
    expect(codeOf(await stage.as(home.owner, 'DELETE', path))).to.equal('404 PROJECT_NOT_FOUND');
    expect(codeOf(await stage.api.request('GET', '/v1/orders', { key }))).to.equal('401 REVOKED_API_KEY');
    const seen = await stage.as(home.owner, 'GET', `/v1/members/${member.user.id}`);
    expect(seen.body?.project_ids).to.deep.equal([]);
    expect((await stage.as(member, 'GET', '/v1/projects')).body?.data).to.deep.equal([]);
    const headers = { 'X-Hatif-Project': home.project.id };
    const answer = await stage.api.request('GET', '/v1/orders', { key: home.owner.token, headers });
    expect(codeOf(answer)).to.equal('404 PROJECT_NOT_FOUND');
  });

  it('with numbers, live calls or money stay', async () => {
    const { db } = stage.database;
    const { id: project_id, organization_id } = home.project;
    const refusal = async (): Promise<string> => {
      const answer = await stage.as(home.owner, 'DELETE', `/v1/projects/${project_id}`);
      expect(codeOf(answer)).to.equal('409 PROJECT_IN_USE');
      return String(answer.body?.message);
    };
    const engine = engineRow();
    await insertRows(db, 'engines', [engine]);
    const ground = { organizationId: organization_id, projectId: project_id, engineId: engine.id };
    await insertRows(db, 'numbers', [numberRow(ground, '+966112000001')]);
    expect(await refusal()).to.include('it has numbers');
    await db.query(`DELETE FROM numbers WHERE project_id = $1`, [project_id]);
    const call = callRow(ground, { status: 'answered' });
    await insertRows(db, 'calls', [call]);
    expect(await refusal()).to.include('calls are live');
    await db.query(`UPDATE calls SET status = 'ended' WHERE id = $1`, [call.id]);
    await db.query(
      `INSERT INTO ledger_accounts (id, organization_id, project_id, type, balance) VALUES ($1, $2, $3, 'project', 5)`,
      [newId(), organization_id, project_id],
    );
    expect(await refusal()).to.include('its balance is not zero');
  });
});
