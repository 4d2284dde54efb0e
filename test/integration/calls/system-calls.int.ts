import { expect } from 'chai';
import type { Route } from '../../../api/http/route.js';
import { CallWriter } from '../../../core/data/call-writer.js';
import { Ledger } from '../../../core/data/repositories/billing/ledger.js';
import type { CallRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { barePlatform, type BarePlatform } from '../../support/platform/bare-platform.js';
import { recordingRow } from '../../support/rows/recordings.js';
import { callRow, effectOf, groundIn, legRow, timelineRow, type Ground } from '../../support/rows/rows.js';

/** A valid body for each route of a call that needs one, by the end of its path. */
const BODIES: Readonly<Record<string, object>> = {
  '/play': { text: 'Hello', language: 'en' },
  '/dtmf': { digits: '1' },
  '/transfer': { type: 'blind', to: { type: 'number', target: '+966501234517' } },
  '/conference': { name: 'room' },
  '/monitor': { agent: '1001', mode: 'listen' },
};

const OLD = { created_at: new Date(Date.now() - 120_000), answered_at: new Date(Date.now() - 110_000) };

describe('calls that the platform makes for itself', function () {
  this.timeout(120_000);
  let bare: BarePlatform;
  let api: TestApi;
  let routes: readonly Route[];
  let ground: Ground;
  let key: string;

  before(async () => {
    bare = await barePlatform('api');
    ({ routes } = bare.platform.api!);
    const { db } = bare.database;
    api = await testApi({ db, routes });
    ground = await groundIn(db);
    ({ key } = await api.key({ projectId: ground.projectId }));
  });
  after(async () => {
    await api.close();
    await bare.close();
  });

  /** Stores a call with a recording, as if a fault had let one happen. */
  async function stored(changes: Partial<CallRow>): Promise<CallRow> {
    const { db } = bare.database;
    const call = callRow(ground, { ...OLD, created_by_key: null, ...changes });
    await new CallWriter(db).commit(
      effectOf(call, {
        legs: [legRow(call.id, { status: call.ended_at === null ? 'answered' : 'ended' })],
        recordings: [recordingRow(call)],
        timeline: [timelineRow(call.id)],
        events: [],
      }),
    );
    return call;
  }
  const live = (system: boolean): Promise<CallRow> => stored({ system, status: 'answered' });
  const over = (system: boolean): Promise<CallRow> => stored({ system, status: 'ended', ended_at: new Date() });

  const ask = (route: Route, path: string): Promise<Answer> => {
    const [, body = {}] = Object.entries(BODIES).find(([end]) => path.endsWith(end)) ?? [];
    return api.request(route.method, path, { key, ...(route.method === 'GET' ? {} : { json: body }) });
  };

  it('are not found by any route of a call', async () => {
    // Those of administrators find calls by the same service.
    const ofOthers = /^\/v1\/(?:widget|admin)\//;
    const ofCalls = routes.filter(({ path }) => /:(?:call|callback)_id/.test(path) && !ofOthers.test(path));
    expect(ofCalls.length).to.be.greaterThan(20);
    for (const call of [await live(true), await over(true)]) {
      for (const route of ofCalls) {
        const path = route.path.replace(/:(?:call|callback)_id/, call.id).replace(/:\w+/, newId());
        const { status, body, text } = await ask(route, path);
        const code = route.path.includes('callback') ? 'CALLBACK_NOT_FOUND' : 'CALL_NOT_FOUND';
        expect([status, body?.error_code], `${route.method} ${route.path} ${text}`).to.deep.equal([404, code]);
      }
    }
    const call = await live(false);
    for (const route of ofCalls.filter(({ path }) => path.includes(':call_id'))) {
      const { body } = await ask(route, route.path.replace(':call_id', call.id).replace(/:\w+/, newId()));
      expect(body?.error_code, `${route.method} ${route.path} of an ordinary call`).not.to.equal('CALL_NOT_FOUND');
    }
  });

  it('are in no list, except without their id in records of cost', async () => {
    const [hidden, shown] = [await over(true), await over(false)];
    const postings = [hidden, shown].map(({ id }) => ({
      organizationId: ground.organizationId,
      kind: 'call',
      reference: id,
      note: null,
      entries: [
        { type: 'project', projectId: ground.projectId, amount: -1_000_000 },
        { type: 'revenue', projectId: null, amount: 1_000_000 },
      ] as const,
    }));
    await bare.database.db.transaction((tx) => new Ledger(bare.database.db).post(tx, postings, new Date()));
    const period = `?from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date().toISOString()}`;
    const lists = routes.filter(
      ({ method, path }) => method === 'GET' && !path.includes(':') && !path.endsWith('stream'),
    );
    const naming: string[] = [];
    for (const { path, keyKind } of lists) {
      if (keyKind === 'none') continue;
      const { text } = await api.request('GET', path === '/v1/cdr' ? path + period : path, { key });
      expect(text, path).not.to.contain(hidden.id);
      if (text.includes(shown.id)) naming.push(path);
    }
    expect(naming).to.have.members(['/v1/calls', '/v1/cdr', '/v1/billing/ledger']);
    const cdr = await api.request('GET', `/v1/cdr${period}`, { key });
    const lines = cdr.text.trim().split('\r\n').slice(1);
    expect(
      lines.filter((line) => line.startsWith(`,${ground.projectId}`)),
      'system calls are counted',
    ).to.not.be.empty;
    const paged = await api.request('GET', '/v1/calls?page=1&page_size=100', { key });
    expect(paged.text).to.contain(shown.id).and.not.to.contain(hidden.id);
    const [row] = await bare.database.db.query<{ count: number }>(
      `SELECT count(*) AS count FROM calls WHERE system IS NOT TRUE`,
    );
    expect(paged.body?.total_count).to.equal(row?.count);
    const usage = await api.request('GET', '/v1/usage', { key });
    const [all] = await bare.database.db.query<{ count: number }>(`SELECT count(*) AS count FROM calls`);
    expect((usage.body?.data as { total_calls: number } | undefined)?.total_calls).to.equal(all?.count);
  });
});
