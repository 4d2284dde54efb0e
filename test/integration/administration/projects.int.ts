import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { codeOf } from '../../support/judges/outcome.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { callRow, groundIn, insertRows, type Ground } from '../../support/rows/rows.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { AdministrationStage } from '../../support/stages/administration/administration-stage.js';

const MONTH = '2026-01';

describe('projects and the installation, for administrators', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AdministrationStage;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
    stage = await AdministrationStage.open(database);
    await stage.setUp();
    ground = await groundIn(database.db);
  });
  after(async () => {
    await stage.close();
    await database.close();
  });

  const of = (rest: string): string => `/projects/${ground.projectId}${rest}`;
  const keysOf = async (projectId: string): Promise<number> =>
    (await database.db.query('SELECT id FROM api_keys WHERE project_id = $1', [projectId])).length;

  it('finds no project that does not exist, and does nothing for it', async () => {
    const asked: readonly (readonly [string, string, unknown?])[] = [
      ['GET', '/keys'],
      ['POST', '/keys', { name: 'x', kind: 'live' }],
      ['GET', '/billing'],
      ['GET', '/cdr?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'],
      ['PATCH', '', { max_calls: 5 }],
      ['PUT', '/spend-caps', { day_sar: 1, month_sar: null }],
      ['DELETE', '/agents/1001'],
    ];
    for (const [method, rest, json] of asked) {
      for (const id of [newId(), 'nothing']) {
        const answer = await stage.ask(method, `/projects/${id}${rest}`, json);
        expect(codeOf(answer), `${method} ${id}${rest}`).to.equal('404 PROJECT_NOT_FOUND');
      }
    }
    expect(await keysOf(ground.projectId)).to.equal(0);
  });

  it('finds in a project only what is its own', async () => {
    const made = await stage.done('POST', '/projects', { name: 'Other', organization_name: 'Other' });
    const strangers = `/projects/${(made.project as { id: string }).id}`;
    const call = callRow(ground, { status: 'ended', ended_at: new Date() });
    const recording = recordingRow(call);
    await insertRows(database.db, 'calls', [call]);
    await insertRows(database.db, 'recordings', [recording]);
    const key = await stage.done('POST', of('/keys'), { name: 'first', kind: 'live' });
    const refusals = [
      ['GET', `/calls/${call.id}`, '404 CALL_NOT_FOUND'],
      ['POST', `/calls/${call.id}/hangup`, '404 CALL_NOT_FOUND'],
      ['POST', `/recordings/${recording.id}/hold`, '404 NOT_FOUND'],
      ['DELETE', `/recordings/${recording.id}`, '404 NOT_FOUND'],
      ['DELETE', `/keys/${String(key.id)}`, '404 API_KEY_NOT_FOUND'],
    ] as const;
    for (const [method, rest, refusal] of refusals) {
      expect(codeOf(await stage.ask(method, `${strangers}${rest}`)), `${method} ${rest}`).to.equal(refusal);
    }
    const [row] = await database.db.query('SELECT legal_hold, status FROM recordings WHERE id = $1', [recording.id]);
    expect(row).to.deep.equal({ legal_hold: false, status: 'available' });
    expect(await stage.done('GET', of('/keys'))).to.have.nested.property('data[0].status', 'active');
  });

  it('changes settings of a project all together or not at all, and audits both states', async () => {
    const wrong = await stage.ask('PATCH', of(''), { max_calls: 7, recording_retention_days: 0 });
    expect(codeOf(wrong)).to.equal('400 VALIDATION_ERROR');
    expect((await stage.stores.projects.get(ground.projectId))?.max_calls).to.not.equal(7);
    const after = await stage.done('PATCH', of(''), { max_calls: 7, recording_retention_days: 30 });
    expect(after).to.include({ max_calls: 7, recording_retention_days: 30 });
    const row = await stage.audited('/v1/admin/projects/:project_id');
    expect(row).to.include({ project_id: ground.projectId, organization_id: ground.organizationId });
    expect(row?.details).to.have.nested.property('after.max_calls', 7);
  });

  it('pages through projects', async () => {
    const all: string[] = [];
    let cursor = '';
    do {
      const { data, next_cursor } = (await stage.done('GET', `/projects?limit=1${cursor}`)) as {
        data?: { id: string }[];
        next_cursor?: string | null;
      };
      all.push(...(data ?? []).map(({ id }) => id));
      cursor = next_cursor ? `&cursor=${next_cursor}` : '';
    } while (cursor !== '');
    expect(all).to.deep.equal((await stage.stores.projects.list()).map(({ id }) => id));
  });

  it('creates a project in an organization or with a new one, and not with both', async () => {
    const both = { name: 'x', organization_id: ground.organizationId, organization_name: 'x' };
    expect(codeOf(await stage.ask('POST', '/projects', both))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await stage.ask('POST', '/projects', { name: 'x' }))).to.equal('400 VALIDATION_ERROR');
    const nowhere = { name: 'x', organization_id: newId() };
    expect(codeOf(await stage.ask('POST', '/projects', nowhere))).to.equal('404 NOT_FOUND');
  });

  it('shows the secret of an engine, with an audit row that does not contain it', async () => {
    const engine = { name: 'far', kind: 'freeswitch', address: '127.0.0.1:1', password: 'secret' };
    await stage.done('POST', '/engines', engine);
    const { secret } = await stage.done('GET', '/engines/far/secret');
    expect(secret).to.be.a('string');
    const row = await stage.audited('/v1/admin/engines/:name/secret');
    expect(row).to.include({ method: 'GET', status: 200 });
    expect(JSON.stringify(row)).to.not.contain(String(secret));
    expect(await stage.done('GET', '/engines/nothing/secret')).to.include({ secret: null });
  });

  it('creates further administrators, of whose password the audit log knows nothing', async () => {
    const weak = { email: 'salem@operator.example', name: 'Salem', password: 'password' };
    expect(codeOf(await stage.ask('POST', '/administrators', weak))).to.equal('400 PASSWORD_VALIDATION_FAILED');
    const password = 'nine quiet camels at the well';
    await stage.done('POST', '/administrators', { ...weak, password });
    expect(JSON.stringify(await stage.audited('/v1/admin/administrators'))).to.not.contain(password);
    const { token } = await stage.done('POST', '/tokens', { email: weak.email, name: 'nightly' });
    expect(JSON.stringify(await stage.audited('/v1/admin/tokens'))).to.not.contain(String(token));
    expect(await stage.done('GET', '/tokens')).to.have.nested.property('data[0].name', 'nightly');
    expect(JSON.stringify(await stage.done('GET', '/tokens'))).to.not.match(/"token"/);
  });

  it('imports all numbers or none', async () => {
    const numbers = ['+966115557000-+966115557009', 'nothing'];
    const refused = await stage.ask('POST', '/numbers/import', { numbers });
    expect(codeOf(refused)).to.equal('400 VALIDATION_ERROR');
    expect(refused.text).to.contain('numbers[1]');
    expect(await stage.done('POST', '/numbers/import', { numbers: numbers.slice(0, 1) })).to.include({ added: 10 });
    expect(await stage.done('POST', '/numbers/import', { numbers: numbers.slice(0, 1) })).to.include({ known: 10 });
  });

  it('issues no invoice in nobody’s name', async () => {
    expect(codeOf(await stage.ask('POST', '/invoices/run', { month: MONTH }))).to.equal('409 INVOICE_SELLER_MISSING');
    expect(await stage.done('POST', '/invoices/run', { month: MONTH, dry_run: true })).to.include({ month: MONTH });
    expect(codeOf(await stage.ask('POST', '/invoices/run', { month: '2099-01' }))).to.equal('400 VALIDATION_ERROR');
  });

  it('books a top-up once for each reference', async () => {
    const path = `/organizations/${ground.organizationId}`;
    const topUp = { amount_sar: 10, reference: 'FT-1' };
    expect(await stage.done('POST', `${path}/top-ups`, topUp)).to.include({ booked: true, pool_balance_sar: 10 });
    expect(await stage.done('POST', `${path}/top-ups`, topUp)).to.include({ booked: false, pool_balance_sar: 10 });
    const much = await stage.ask('POST', of('/allocations'), { amount_sar: 11 });
    expect(codeOf(much)).to.match(/ INSUFFICIENT_POOL_BALANCE$/);
    expect(await stage.done('GET', `${path}/pool`)).to.include({ pool_balance_sar: 10 });
    expect(codeOf(await stage.ask('GET', `/organizations/${newId()}/pool`))).to.equal('404 NOT_FOUND');
  });
});
