import { expect } from 'chai';
import { insertAuditRows } from '../../../core/data/repositories/accounts/audit.js';
import type { AuditRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { AuditChain } from '../../../core/services/audit/chain.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { SoftphoneEngine } from '../../support/stages/accounts/softphone-engine.js';
import { codeOf } from '../../support/judges/outcome.js';
import { AdministrationStage } from '../../support/stages/administration/administration-stage.js';

type Made = Record<'organization' | 'owner', { readonly id: string }>;

describe('reading the audit log', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: AdministrationStage;
  let engine: SoftphoneEngine;
  let mine: Made;
  let theirs: Made;
  let rows: readonly AuditRow[];
  let access: string;

  before(async () => {
    database = await testDatabase();
    stage = await AdministrationStage.open(database);
    await stage.setUp();
    engine = await SoftphoneEngine.start(stage.stores.db, stage.bus, 'phones');
    const make = async (name: string): Promise<Made> => {
      const owner = { email: `${name}@customer.example`, name, password: 'nine quiet camels at the well' };
      return (await stage.done('POST', '/organizations', { name, tier: 'production', owner })) as unknown as Made;
    };
    [mine, theirs] = [await make('mine'), await make('theirs')];
    rows = [1, 2, 3].map((n) => rowOf(mine.organization.id, n)).concat(rowOf(theirs.organization.id, 4));
    await stage.api.audit.flush();
    await insertAuditRows(stage.stores.db, rows);
    access = await accessOf(mine);
  });
  after(async () => {
    await engine.stop();
    await stage.close();
    await database.close();
  });

  function rowOf(organization_id: string, n: number): AuditRow {
    return {
      ...{ id: newId(), organization_id, project_id: null, key_id: null, user_id: newId(), administrator_id: null },
      ...{
        actor: `=actor ${n}`,
        request_id: `r${n}`,
        method: 'POST',
        path: `/v1/x/${n}`,
        route: '/v1/x/:id',
        status: 201,
      },
      ...{ error_code: null, ip: `192.0.2.${n}`, details: { before: { name: 'a' }, after: { name: 'b,"c' } } },
      created_at: new Date(stage.clock.now().getTime() + n * 1000),
    };
  }
  const accessOf = async ({ owner }: Made): Promise<string> =>
    String((await stage.done('POST', `/users/${owner.id}/impersonate`, { reason: 'test' })).access_token);
  const read = (query = '', headers: Record<string, string> = {}, key = access) =>
    stage.api.request('GET', `/v1/audit${query}`, { key, headers });
  const shown = async (query: string): Promise<unknown[]> =>
    ((await read(query)).body?.data as { request_id: string }[]).map(({ request_id }) => request_id);

  it('an organization’s people see its rows only, newest first, page by page', async () => {
    const { status, body } = await read('?route=/v1/x/:id&limit=2');
    expect(status).to.equal(200);
    const data = body?.data as Record<string, unknown>[];
    expect(data.map(({ request_id }) => request_id)).to.deep.equal(['r3', 'r2']);
    expect(data[0]).to.deep.include({
      ...{ actor: '=actor 3', user_id: rows[2]?.user_id, ip: '192.0.2.3', sequence: null },
      details: { before: { name: 'a' }, after: { name: 'b,"c' } },
    });
    expect(await shown(`?route=/v1/x/:id&limit=2&cursor=${String(body?.next_cursor)}`)).to.deep.equal(['r1']);
    const { text } = await read('?limit=100', {}, await accessOf(theirs));
    expect(text).to.contain(theirs.organization.id).and.not.contain(mine.organization.id);
  });

  it('they filter', async () => {
    const [first] = rows;
    for (const [query, found] of [
      [`?user_id=${String(first?.user_id)}`, ['r1']],
      ['?ip=192.0.2.2', ['r2']],
      ['?request_id=r3', ['r3']],
      ['?request_id=r4', []],
      ['?method=POST&ip=192.0.2.1', ['r1']],
      [`?from=${rows[1]!.created_at.toISOString()}&to=${rows[1]!.created_at.toISOString()}`, ['r2']],
      [`?key_id=${newId()}`, []],
      [`?administrator_id=${newId()}`, []],
      [`?project_id=${newId()}`, []],
    ] as const) {
      expect(await shown(query), query).to.deep.equal(found);
    }
    expect(codeOf(await read('?user_id=x'))).to.equal('400 VALIDATION_ERROR');
  });

  it('they export what they see as CSV, which no spreadsheet runs', async () => {
    for (const answer of [
      await read('?route=/v1/x/:id&format=csv'),
      await read('?route=/v1/x/:id', { accept: 'text/csv' }),
    ]) {
      expect(answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).to.contain('attachment');
      const [header, ...lines] = answer.text.trimEnd().split('\r\n');
      expect(header).to.match(/^created_at,organization_id,project_id,actor,/);
      expect(lines).to.have.length(3);
      expect(lines[0]).to.contain(`,'=actor 3,`).and.contain('/v1/x/3');
      expect(answer.text).to.not.contain(theirs.organization.id);
    }
  });

  it('rows have their place in the chain once they are sealed', async () => {
    await stage.api.audit.flush();
    await new AuditChain({ db: stage.stores.db, cipher: TEST_CIPHER, clock: stage.clock }).run();
    const { body } = await read('?request_id=r1');
    expect((body?.data as { sequence: number }[])[0]?.sequence).to.be.a('number');
  });

  it('roles without the permission, and API keys, are refused', async () => {
    const refused = async (key: string): Promise<string> => codeOf(await read('', {}, key));
    await stage.stores.db.query(`UPDATE users SET role = 'agent' WHERE id = $1`, [theirs.owner.id]);
    expect(await refused(await accessOf(theirs))).to.equal('403 INSUFFICIENT_ROLE');
    const { key } = await stage.api.key();
    expect(await refused(key)).to.match(/SESSION_REQUIRED$/);
    expect(codeOf(await stage.api.request('GET', '/v1/audit'))).to.equal('401 INVALID_API_KEY');
    expect(await refused(stage.token)).to.match(/^401 /);
  });

  it('administrators see all rows, or those of one organization', async () => {
    const of = async (query: string): Promise<Set<unknown>> =>
      new Set(
        ((await stage.done('GET', `/audit?limit=100${query}`)).data as { organization_id: unknown }[]).map(
          ({ organization_id }) => organization_id,
        ),
      );
    expect(await of(''))
      .to.include(mine.organization.id)
      .and.to.include(theirs.organization.id);
    expect([...(await of(`&organization_id=${mine.organization.id}`))]).to.deep.equal([mine.organization.id]);
    expect((await stage.ask('GET', '/audit?format=csv')).text).to.contain(theirs.organization.id);
  });
});
