import { expect } from 'chai';
import { openApiDocument } from '../../../api/http/openapi.js';
import { blockedCallerRoutes } from '../../../api/routes/numbers/blocked-callers.js';
import type { Route } from '../../../api/http/route.js';
import { AllowedCallers } from '../../../core/data/repositories/numbers/allowed-callers.js';
import { BlockedCallers } from '../../../core/data/repositories/numbers/blocked-callers.js';
import { MAX_BLOCKED_CALLERS } from '../../../core/model/number/blocked-caller.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { BlockedCallerAnswers } from '../../../core/services/blocked-callers/answers.js';
import { ManageAllowedCallers, ManageBlockedCallers } from '../../../core/services/blocked-callers/manage.js';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

const CALLER = '+442071838750';
const PATH = '/v1/blocked-callers';

describe('the block list of a project', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let table: BlockedCallers;
  let routes: Route[];
  let api: TestApi;
  let projectId: string;
  let live: string;
  let sandbox: string;
  let announced: number;

  before(async () => {
    database = await testDatabase();
    table = new BlockedCallers(database.db);
    const announce = (): Promise<void> => Promise.resolve(void (announced += 1));
    const allowed = new AllowedCallers(database.db);
    routes = blockedCallerRoutes({
      blockedCallers: new ManageBlockedCallers({ table, announce, clock: systemClock }),
      allowedCallers: new ManageAllowedCallers({ table: allowed, announce, clock: systemClock }),
      blockedCallerAnswers: new BlockedCallerAnswers({ table, announce }),
    });
    api = await testApi({ db: database.db, routes });
  });
  beforeEach(async () => {
    announced = 0;
    ({ projectId } = await api.owner());
    live = (await api.key({ projectId })).key;
    sandbox = (await api.key({ projectId, kind: 'sandbox' })).key;
  });
  after(async () => {
    await api.close();
    await database.close();
    expect(api.faults).to.deep.equal([]);
  });

  const post = (json: unknown, key = live): Promise<Answer> => api.request('POST', PATH, { key, json });
  const codeOf = ({ status, body }: Answer): string => `${status} ${String(body?.error_code)}`;
  async function list(
    key = live,
    query = '',
  ): Promise<{ data: Record<string, unknown>[]; next_cursor: string | null }> {
    const answer = await api.request('GET', `${PATH}${query}`, { key });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body as never;
  }
  const numbers = async (key = live): Promise<unknown[]> => (await list(key)).data.map(({ number }) => number);

  it('conforms to the OpenAPI contract', async () => {
    expect(await routeProblems(api, routes)).to.deep.equal([]);
    expect(documentProblems(openApiDocument({ routes, version: '1', serverUrl: '' }), routes)).to.deep.equal([]);
  });

  it('takes numbers, prefixes and withheld numbers, and announces each change', async () => {
    const made = await post({ kind: 'exact', number: '0501234567', note: ' sells windows ' });
    expect(made.status, made.text).to.equal(201);
    expect(made.body).to.include({ kind: 'exact', number: '+966501234567', note: 'sells windows' });
    expect((await post({ kind: 'prefix', number: '+4420' })).body).to.include({ number: '+4420', note: null });
    expect((await post({ kind: 'withheld', number: null })).body).to.include({ kind: 'withheld', number: null });
    expect(await numbers()).to.deep.equal([null, '+4420', '+966501234567']);
    expect(announced).to.equal(3);
    const removed = await api.request('DELETE', `${PATH}/${String(made.body?.id)}`, { key: live });
    expect(removed.status).to.equal(204);
    expect(await numbers()).to.deep.equal([null, '+4420']);
    expect(announced).to.equal(4);
    expect(codeOf(await api.request('DELETE', `${PATH}/${String(made.body?.id)}`, { key: live }))).to.equal(
      '404 NOT_FOUND',
    );
  });

  it('answers 200 with the first entry if the caller is blocked already, also to requests at the same time', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((note) => post({ kind: 'exact', number: CALLER, note })),
    );
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body?.id)).size).to.equal(1);
    const first = answers.find(({ status }) => status === 201)?.body;
    expect((await post({ kind: 'exact', number: '0044 20 7183 8750', note: 'later' })).body).to.deep.equal(first);
    expect(announced).to.equal(1);
    expect((await post({ kind: 'prefix', number: CALLER })).status, 'the same digits as a prefix').to.equal(201);
  });

  it('is paged, the newest entries first', async () => {
    for (const number of ['+4421', '+4422', '+4423']) await post({ kind: 'prefix', number });
    const first = await list(live, '?limit=2');
    expect(first.data.map(({ number }) => number)).to.deep.equal(['+4423', '+4422']);
    const rest = await list(live, `?limit=2&cursor=${encodeURIComponent(first.next_cursor ?? '')}`);
    expect(rest.data.map(({ number }) => number)).to.deep.equal(['+4421']);
    expect(rest.next_cursor).to.equal(null);
  });

  for (const [what, json, code] of [
    ['an emergency number', { kind: 'exact', number: '911' }, '400 INVALID_PHONE_NUMBER'],
    ['text', { kind: 'exact', number: 'somebody' }, '400 INVALID_PHONE_NUMBER'],
    ['an exact entry without a number', { kind: 'exact' }, '400 VALIDATION_ERROR'],
    ['a prefix of two digits', { kind: 'prefix', number: '+44' }, '400 VALIDATION_ERROR'],
    ['a prefix of letters', { kind: 'prefix', number: '+44a' }, '400 VALIDATION_ERROR'],
    ['withheld numbers with a number', { kind: 'withheld', number: CALLER }, '400 VALIDATION_ERROR'],
    ['an unknown kind', { kind: 'regex', number: '.*' }, '400 VALIDATION_ERROR'],
    ['a note of 201 characters', { kind: 'withheld', note: 'x'.repeat(201) }, '400 VALIDATION_ERROR'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      expect(codeOf(await post(json))).to.equal(code);
      expect(await numbers()).to.deep.equal([]);
    });
  }

  it('has at most ten thousand entries; what is blocked already still answers 200', async () => {
    await database.db.query(
      `INSERT INTO blocked_callers (id, project_id, sandbox, kind, number, created_at)
       SELECT gen_random_uuid(), $1, false, 'exact', '+4420' || (70000000 + n), now() FROM generate_series(1, $2) AS n`,
      [projectId, MAX_BLOCKED_CALLERS],
    );
    const refused = await post({ kind: 'exact', number: CALLER });
    expect(codeOf(refused)).to.equal('409 BLOCKED_CALLER_LIMIT_EXCEEDED');
    expect(refused.body?.message).to.include('10000');
    expect((await post({ kind: 'exact', number: '+442070000001' })).status).to.equal(200);
    expect((await post({ kind: 'exact', number: CALLER }, sandbox)).status, 'the sandbox has its own').to.equal(201);
  });

  it('is that of the key: neither another project nor the other kind of key sees or changes it', async () => {
    const { body } = await post({ kind: 'exact', number: CALLER });
    const path = `${PATH}/${String(body?.id)}`;
    const { key: stranger } = await api.key();
    for (const other of [stranger, sandbox]) {
      expect(await numbers(other)).to.deep.equal([]);
      expect(codeOf(await api.request('DELETE', path, { key: other }))).to.equal('404 NOT_FOUND');
      expect((await post({ kind: 'exact', number: CALLER }, other)).status).to.equal(201);
    }
    expect(await numbers()).to.deep.equal([CALLER]);
  });

  it('shows no entry of the installation, and no key removes one', async () => {
    const row = { id: newId(), project_id: null, agent: null, sandbox: false, kind: 'exact', number: CALLER } as const;
    await table.add({ ...row, note: null, created_at: new Date() }, MAX_BLOCKED_CALLERS);
    expect(await numbers()).to.deep.equal([]);
    expect(codeOf(await api.request('DELETE', `${PATH}/${row.id}`, { key: live }))).to.equal('404 NOT_FOUND');
  });

  it('shows how many calls an entry has refused', async () => {
    const { body } = await post({ kind: 'exact', number: CALLER });
    expect(body).to.include({ refused_calls: 0, last_refused_at: null });
  });

  it('has an allow list beside it, of the same form', async () => {
    const allow = (json: unknown, key = live): Promise<Answer> =>
      api.request('POST', '/v1/allowed-callers', { key, json });
    const made = await allow({ kind: 'prefix', number: '+44207', note: 'the head office' });
    expect(made.status, made.text).to.equal(201);
    expect(made.body).to.have.all.keys('id', 'kind', 'number', 'note', 'created_at');
    expect((await allow({ kind: 'prefix', number: '+44207' })).body).to.deep.equal(made.body);
    expect(codeOf(await allow({ kind: 'exact', number: '911' }))).to.equal('400 INVALID_PHONE_NUMBER');
    expect(codeOf(await allow({ kind: 'prefix' }))).to.equal('400 VALIDATION_ERROR');
    const listed = async (key: string): Promise<unknown> =>
      (await api.request('GET', '/v1/allowed-callers', { key })).body?.data;
    expect(await listed(live)).to.deep.equal([made.body]);
    expect(await listed(sandbox)).to.deep.equal([]);
    expect(await numbers(), 'the block list').to.deep.equal([]);
    const path = `/v1/allowed-callers/${String(made.body?.id)}`;
    const { key: stranger } = await api.key();
    expect(codeOf(await api.request('DELETE', path, { key: stranger }))).to.equal('404 NOT_FOUND');
    expect((await api.request('DELETE', path, { key: live })).status).to.equal(204);
    expect(codeOf(await api.request('DELETE', path, { key: live }))).to.equal('404 NOT_FOUND');
    await database.db.query(
      `INSERT INTO allowed_callers (id, project_id, sandbox, kind, number, created_at)
       SELECT gen_random_uuid(), $1, false, 'exact', '+4420' || (70000000 + n), now() FROM generate_series(1, $2) AS n`,
      [projectId, MAX_BLOCKED_CALLERS],
    );
    expect(codeOf(await allow({ kind: 'exact', number: CALLER }))).to.equal('409 ALLOWED_CALLER_LIMIT_EXCEEDED');
  });

  it('says what blocked callers get: as the project, the operator or the platform sets it', async () => {
    const PATH_OF_ANSWER = '/v1/blocked-caller-answer';
    const read = async (key = live): Promise<unknown> => (await api.request('GET', PATH_OF_ANSWER, { key })).body;
    const set = (answer: string | null, key = live): Promise<Answer> =>
      api.request('PUT', PATH_OF_ANSWER, { key, json: { answer } });
    const answers = new BlockedCallerAnswers({ table, announce: () => Promise.resolve() });
    expect(await read()).to.deep.equal({ answer: null, effective: 'declined' });
    await answers.set(null, 'unwanted');
    expect(await read()).to.deep.equal({ answer: null, effective: 'unwanted' });
    expect((await set('announcement')).body).to.deep.equal({ answer: 'announcement', effective: 'announcement' });
    const { key: other } = await api.key();
    expect(await read(other)).to.deep.equal({ answer: null, effective: 'unwanted' });
    expect((await set(null)).body).to.deep.equal({ answer: null, effective: 'unwanted' });
    await answers.set(null, null);
    expect(await read()).to.deep.equal({ answer: null, effective: 'declined' });
    expect(codeOf(await set('silence'))).to.equal('400 VALIDATION_ERROR');
    expect(codeOf(await set('declined', sandbox))).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
    expect(announced).to.equal(2);
  });

  it('needs numbers:write to change, and numbers:read to read', async () => {
    const { key } = await api.key({ projectId, scopes: ['numbers:read'] });
    expect(await numbers(key)).to.deep.equal([]);
    expect(codeOf(await post({ kind: 'withheld' }, key))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(codeOf(await api.request('DELETE', `${PATH}/${newId()}`, { key }))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    const { key: other } = await api.key({ projectId, scopes: ['calls:write'] });
    expect(codeOf(await api.request('GET', PATH, { key: other }))).to.equal('403 INSUFFICIENT_PERMISSIONS');
  });
});
