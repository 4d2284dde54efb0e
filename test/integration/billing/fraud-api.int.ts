import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import type { Route } from '../../../api/http/route.js';
import { fraudRoutes } from '../../../api/routes/billing/fraud.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { FraudDefaultsTable } from '../../../core/data/repositories/calls/fraud-defaults.js';
import { FraudGuardTable } from '../../../core/data/repositories/calls/fraud-guard.js';
import { NO_FORWARDING } from '../../../core/model/call/forwarding.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { ManageFraud } from '../../../core/services/dialling/manage-fraud.js';
import { ManageFraudDefaults } from '../../../core/services/dialling/manage-fraud-defaults.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { insertRows } from '../../support/rows/rows.js';

const LIMITS = '/v1/fraud-limits';
const NOTHING = { project: {}, agents: {} };
const BLOCKS = '/v1/fraud-blocks';

describe('the routes of the guard against toll fraud', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let table: FraudGuardTable;
  let defaults: ManageFraudDefaults;
  let routes: Route[];
  let api: TestApi;
  let owner: { readonly projectId: string; readonly organizationId: string };
  let live: string;
  let announced: number;

  before(async () => {
    database = await testDatabase();
    const { db } = database;
    table = new FraudGuardTable(db);
    const announce = (): Promise<void> => Promise.resolve(void (announced += 1));
    const fraudTable = new FraudDefaultsTable(db);
    defaults = new ManageFraudDefaults({ db, table: fraudTable, announce, clock: systemClock });
    const fraud = new ManageFraud({
      ...{ db, table, projects: new Projects(db), agents: new Agents(db), defaults, announce, clock: systemClock },
      wake: () => undefined,
    });
    routes = fraudRoutes({ fraud });
    api = await testApi({ db, routes });
  });
  beforeEach(async () => {
    announced = 0;
    owner = await api.owner();
    live = (await api.key({ projectId: owner.projectId })).key;
    await addAgent('1001');
  });
  after(async () => {
    await api.close();
    await database.close();
    expect(api.faults).to.deep.equal([]);
  });

  const addAgent = (agent: string): Promise<unknown> =>
    insertRows(database.db, 'agents', [
      {
        id: newId(),
        ...{ project_id: owner.projectId, organization_id: owner.organizationId, agent, aor: newId() },
        ...{ display_name: agent, sip_password: 'sealed', may_call_out: true, destination_classes: ['national'] },
        ...{
          record_calls: false,
          priority: 5,
          skills: {},
          forwarding: NO_FORWARDING,
          caller_id_number: null,
          created_at: new Date(),
        },
      },
    ]);
  const put = (path: string, json: unknown, key = live): Promise<Answer> => api.request('PUT', path, { key, json });
  const get = (path: string, key = live): Promise<Answer> => api.request('GET', path, { key });
  const codeOf = ({ status, body }: Answer): string => `${status} ${String(body?.error_code)}`;
  async function block(agent: string | null = '1001'): Promise<string> {
    const id = newId();
    await database.db.transaction((tx) =>
      table.block(tx, {
        id,
        organization_id: owner.organizationId,
        project_id: owner.projectId,
        agent,
        rule: 'spend_per_hour',
        at_most: 12_500_000,
        number_masked: '+44207••••00',
        blocked_at: new Date(),
        released_at: null,
        released_by_key: null,
        ends_calls: null,
        calls_ended_at: null,
      }),
    );
    return id;
  }

  it('conform to the OpenAPI contract', async () => {
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });

  it('set the limits of a project, and tell the processes that dial', async () => {
    expect((await get(LIMITS)).body).to.deep.equal({ ...NOTHING, effective: NOTHING });
    const night = { from: '22:00', to: '06:00', destination_classes: ['national', 'mobile'], calls_per_hour: 5 };
    const limits = {
      project: { spend_per_hour_sar: 50.25, calls_per_hour: null },
      agents: { calls_per_hour: 60, minutes_per_day: 120, new_number_calls_per_hour: 4, night },
    };
    const { status, body } = await put(LIMITS, limits);
    expect(status).to.equal(200);
    const stored = { ...limits, agents: { ...limits.agents, night: { ...night, time_zone: 'Asia/Riyadh' } } };
    expect(body).to.deep.equal({ ...stored, effective: stored });
    expect((await get(LIMITS)).body).to.deep.equal({ ...stored, effective: stored });
    expect(announced).to.equal(1);
    await put(LIMITS, NOTHING);
    expect((await get(LIMITS)).body).to.deep.equal({ ...NOTHING, effective: NOTHING });
  });

  it('inherit what the organization and the operator set, unless they say otherwise', async () => {
    await defaults.set(null, { limits: { project: { calls_per_hour: 900 }, agents: {} }, ends_calls: true });
    const limits = { project: {}, agents: { calls_per_hour: 90, minutes_per_day: 60 } };
    await defaults.set(owner.organizationId, { limits, ends_calls: null });
    await put(LIMITS, { project: { calls_per_hour: null }, agents: { minutes_per_day: 30 } });
    expect((await get(LIMITS)).body?.effective).to.deep.equal({
      project: { calls_per_hour: null },
      agents: { calls_per_hour: 90, minutes_per_day: 30 },
    });
    expect((await get(`${LIMITS}/1001`)).body?.effective).to.deep.equal({ calls_per_hour: 90, minutes_per_day: 30 });
    expect(await defaults.inForce(owner.organizationId)).to.deep.include({ ends_calls: true });
    await database.db.query('DELETE FROM fraud_defaults');
  });

  it('set the limits of one agent, which inherits the others', async () => {
    await put(LIMITS, { project: {}, agents: { calls_per_hour: 60, minutes_per_day: 120 } });
    const { body } = await put(`${LIMITS}/1001`, { calls_per_hour: 5, minutes_per_day: null });
    expect(body).to.deep.equal({
      agent: '1001',
      own: { calls_per_hour: 5, minutes_per_day: null },
      effective: { calls_per_hour: 5, minutes_per_day: null },
    });
    expect((await put(`${LIMITS}/1001`, {})).body).to.deep.equal({
      agent: '1001',
      own: {},
      effective: { calls_per_hour: 60, minutes_per_day: 120 },
    });
  });

  const wrong: readonly [title: string, limits: object][] = [
    ['an unknown limit', { calls: 5 }],
    ['no call at all', { calls_per_hour: 0 }],
    ['a part of a call', { calls_per_hour: 1.5 }],
    ['a negative amount', { spend_per_hour_sar: -1 }],
    ['parts of a halala', { spend_per_hour_sar: 0.125 }],
    ['a night without an end', { night: { from: '22:00' } }],
    ['a night that ends when it begins', { night: { from: '22:00', to: '22:00' } }],
    ['a time that no clock shows', { night: { from: '24:00', to: '06:00' } }],
    ['a time zone that does not exist', { night: { from: '22:00', to: '06:00', time_zone: 'Mars/Olympus' } }],
    ['an unknown class', { night: { from: '22:00', to: '06:00', destination_classes: ['moon'] } }],
  ];
  for (const [title, limits] of wrong) {
    it(`reject ${title}, and change nothing`, async () => {
      expect(codeOf(await put(LIMITS, { project: limits, agents: {} }))).to.equal('400 VALIDATION_ERROR');
      expect(codeOf(await put(`${LIMITS}/1001`, limits))).to.equal('400 VALIDATION_ERROR');
      expect((await get(LIMITS)).body).to.deep.equal({ ...NOTHING, effective: NOTHING });
    });
  }

  it('do not know an agent of another project', async () => {
    await addAgent('2002');
    live = (await api.key({ projectId: (await api.owner()).projectId })).key;
    expect(codeOf(await get(`${LIMITS}/2002`))).to.equal('404 NOT_FOUND');
    expect(codeOf(await put(`${LIMITS}/2002`, {}))).to.equal('404 NOT_FOUND');
  });

  it('list the blocks and release them once', async () => {
    const first = await block();
    const second = await block(null);
    const { data } = (await get(BLOCKS)).body as { data: Record<string, unknown>[] };
    expect(data.map(({ id }) => id)).to.deep.equal([second, first]);
    expect(data[1]).to.deep.include({ agent: '1001', rule: 'spend_per_hour', limit: 12.5, released_at: null });
    expect(data[1]).to.include({ reason: 'spending per hour: 12.50 SAR' });
    expect(data[1]?.reason_ar).to.contain('الإنفاق في الساعة');
    const release = (): Promise<Answer> => api.request('POST', `${BLOCKS}/${first}/release`, { key: live });
    const released = (await release()).body;
    expect(released?.released_at).to.be.a('string');
    expect((await release()).body).to.deep.equal(released);
    expect(((await get(BLOCKS)).body as { data: unknown[] }).data).to.have.length(1);
    expect(((await get(`${BLOCKS}?in_force=false`)).body as { data: unknown[] }).data).to.have.length(2);
  });

  it('neither show nor release a block of another project', async () => {
    const id = await block();
    const other = (await api.key({ projectId: (await api.owner()).projectId })).key;
    expect(((await get(BLOCKS, other)).body as { data: unknown[] }).data).to.deep.equal([]);
    const answer = await api.request('POST', `${BLOCKS}/${id}/release`, { key: other });
    expect(codeOf(answer)).to.equal('404 NOT_FOUND');
    expect(((await get(BLOCKS)).body as { data: unknown[] }).data).to.have.length(1);
  });

  it('need the scopes of money, and a production key', async () => {
    const { projectId } = owner;
    const id = await block();
    const reader = (await api.key({ projectId, scopes: ['billing:read'] })).key;
    const caller = (await api.key({ projectId, scopes: ['calls:write', 'queues:write'] })).key;
    const sandbox = (await api.key({ projectId, kind: 'sandbox' })).key;
    expect((await get(LIMITS, reader)).status).to.equal(200);
    for (const key of [reader, caller]) {
      expect(codeOf(await put(LIMITS, { project: {}, agents: {} }, key))).to.equal('403 INSUFFICIENT_PERMISSIONS');
      const answer = await api.request('POST', `${BLOCKS}/${id}/release`, { key });
      expect(codeOf(answer)).to.equal('403 INSUFFICIENT_PERMISSIONS');
    }
    expect(codeOf(await get(BLOCKS, caller))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(codeOf(await get(BLOCKS, sandbox))).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
  });
});
