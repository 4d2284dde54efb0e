import { expect } from 'chai';
import { Database } from '../../../core/data/database.js';
import { newId } from '../../../core/model/ids.js';
import { testApi, type Owner, type TestApi } from '../../support/api.js';
import { eventually } from '../../support/eventually.js';
import { codeOf, detailsOf } from '../../support/judges/outcome.js';
import { QueueFollower } from '../../support/peers/queues/follower.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { addMember, type TestMember } from '../../support/rows/members.js';
import { queueParts, STREAMS_PER_KEY, type QueueParts } from '../../support/stages/queue-stage.js';
import { succeeded } from '../../support/judges/succeeded.js';

const LOGIN = '/v1/queues/agents/login';

describe('the queues of an agent', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let parts: QueueParts;
  let api: TestApi;
  let owner: Owner;
  let key: string;
  /** Those of the agents 1001 and 1002, with the role `agent`. */
  let reem: TestMember;
  let huda: TestMember;
  const followers: QueueFollower[] = [];

  before(async () => {
    database = await testDatabase();
    parts = queueParts(database.db);
    api = await testApi({ db: database.db, routes: parts.routes });
  });
  beforeEach(async () => {
    owner = await api.owner();
    ({ key } = await api.key({ projectId: owner.projectId }));
    for (const name of ['sales', 'care']) await good('POST', '/v1/queues', { name, wrap_up_seconds: 30 });
    for (const agent of ['1001', '1002']) await good('POST', '/v1/agents', { agent });
    [reem, huda] = [await member('1001'), await member('1002')];
  });
  afterEach(() => {
    for (const follower of followers.splice(0)) follower.leave();
  });
  after(async () => {
    await parts.coordinator.stop();
    await api.close();
    await database.close();
    expect(api.faults).to.deep.equal([]);
  });

  const member = (agent: string, role: 'agent' | 'supervisor' | 'finance' = 'agent'): Promise<TestMember> =>
    addMember(database.db, owner.organizationId, { role, agent });
  const ask = (method: string, path: string, json?: object, as = key) =>
    api.request(method, path, { key: as, ...(json && { json }) });
  const good = async (method: string, path: string, json?: object, as = key): Promise<Record<string, unknown>> =>
    succeeded(await ask(method, path, json, as));
  const follow = async (agent: string, as: string, url = api.url): Promise<QueueFollower> => {
    const follower = await QueueFollower.follow(url, agent, as);
    followers.push(follower);
    return follower;
  };
  const queueId = async (name: string): Promise<string> =>
    ((await good('GET', '/v1/queues')).data as { id: string; name: string }[]).find((row) => row.name === name)!.id;

  it('are all of the project, with those of the agent first known by a sign-in', async () => {
    const before = await good('GET', '/v1/agents/1001/queues', undefined, reem.token);
    expect(before).to.include({ agent: '1001', state: null, pause: null, wrap_up_until: null });
    const never = { dial_code: null, status: 'logged_out', since: null, calls_taken: 0, waiting: null };
    expect(before.queues).to.deep.equal([
      { ...never, queue_id: await queueId('care'), queue: 'care' },
      { ...never, queue_id: await queueId('sales'), queue: 'sales' },
    ]);
    await good('POST', LOGIN, { agent: '1001', queue: await queueId('sales') }, reem.token);
    const [care, sales] = (await good('GET', '/v1/agents/1001/queues', undefined, reem.token)).queues as object[];
    expect(care).to.include(never);
    expect(sales).to.include({ status: 'logged_in', waiting: 0 }).and.have.property('since').that.is.a('string');
    // Neither the list of queues nor the figures of another queue are open to the agent.
    expect((await good('GET', '/v1/queues', undefined, reem.token)).data).to.have.length(1);
    const stats = `/v1/queues/${await queueId('care')}/stats`;
    expect(codeOf(await ask('GET', stats, undefined, reem.token))).to.equal('404 NOT_FOUND');
  });

  it('are followed: sign-ins, pauses and waiting callers, by any client or phone', async () => {
    const follower = await follow('1001', reem.token);
    expect(follower.queues).to.deep.equal(['care logged_out', 'sales logged_out']);
    await good('POST', LOGIN, { agent: '1001', queue: 'sales' }, reem.token);
    await follower.untilShown('sales logged_in 0');
    // A supervisor, or an integration.
    await good('POST', LOGIN, { agent: '1001', queue: 'care' });
    await follower.untilShown('care logged_in 0');
    // The dialled code.
    await good('PATCH', `/v1/queues/${await queueId('care')}`, { dial_code: '502' });
    await parts.signIn.byDialCode(owner.projectId, '1001', '502', 'logged_out');
    await follower.untilShown('care logged_out 0');
    expect(follower.now.queues[0]).to.include({ dial_code: '502' });
    await parts.signIn.togglePause(owner.projectId, '1001');
    await follower.until(({ pause }) => pause?.reason === null, 'a pause without a reason');
    await good('POST', '/v1/queues/agents/unpause', { agent: '1001' }, reem.token);
    await follower.until(({ pause }) => pause === null, 'no pause');
    await good('POST', '/v1/queues/agents/pause', { agent: '1001', reason: 'صلاة' }, reem.token);
    await follower.until(({ pause }) => pause?.reason === 'صلاة', 'a pause with a reason');
    await follower.untilShown('sales paused 0');
    const [sales, callId] = [await queueId('sales'), newId()];
    await parts.coordinator.notify(owner.projectId, () => [{ type: 'entered', callId, queueId: sales }]);
    await follower.untilShown('sales paused 1');
    await parts.coordinator.notify(owner.projectId, () => [{ type: 'left', callId }]);
    await follower.untilShown('sales paused 0');
    // Names and codes are found without a notice.
    await good('POST', '/v1/queues', { name: 'billing' });
    await follower.untilShown('billing logged_out');
    await good('DELETE', `/v1/queues/${sales}`);
    await follower.until(({ queues }) => !queues.some(({ queue }) => queue === 'sales'), 'no removed queue');
  });

  it('follow the phone: a call of the queue, and the time after it', async () => {
    await good('POST', LOGIN, { agent: '1001', queue: 'sales' });
    const follower = await follow('1001', reem.token);
    expect(follower.now.state).to.equal('unavailable');
    const [sales, callId, legId] = [await queueId('sales'), newId(), newId()];
    const { coordinator } = parts;
    const { projectId } = owner;
    await coordinator.notify(projectId, () => [{ type: 'registration', agent: '1001', registered: true }]);
    await follower.until(({ state }) => state === 'idle', 'idle');
    await coordinator.notify(projectId, () => [{ type: 'entered', callId, queueId: sales }]);
    await follower.until(({ state }) => state === 'ringing', 'ringing');
    await coordinator.notify(projectId, () => [{ type: 'answered', callId, agent: '1001', legId }]);
    await follower.until(({ state }) => state === 'busy', 'busy');
    await coordinator.notify(projectId, () => [{ type: 'leg_ended', agent: '1001', legId }]);
    await follower.until(({ state }) => state === 'wrap_up', 'the time after the call');
    const { wrap_up_until: until, at, queues } = follower.now;
    expect(Date.parse(until!) - Date.parse(at)).to.be.within(15_000, 30_000);
    expect(queues[1]).to.include({ queue: 'sales', calls_taken: 1 });
    // A call that is none of a queue leads to no decision.
    const other = newId();
    await coordinator.notify(projectId, () => [{ type: 'leg_began', agent: '1001', legId: other }]);
    await follower.until((now) => now.state === 'busy' && now.wrap_up_until === null, 'busy again');
  });

  it('are the same in another process, which no notice reaches, and in one that was killed and is back', async () => {
    const other = queueParts(database.db);
    const there = await testApi({ db: database.db, routes: other.routes });
    const follower = await follow('1001', reem.token, there.url);
    await good('POST', LOGIN, { agent: '1001', queue: 'sales' }, reem.token);
    await follower.untilShown('sales logged_in 0');
    follower.leave();
    await there.close();
    await other.coordinator.stop();
    await good('POST', LOGIN, { agent: '1001', queue: 'care' }, reem.token);
    const next = queueParts(database.db);
    const back = await testApi({ db: database.db, routes: next.routes });
    const again = await follow('1001', reem.token, back.url);
    expect(again.states).to.have.length(1);
    expect(again.queues).to.deep.equal(['care logged_in 0', 'sales logged_in 0']);
    again.leave();
    await back.close();
    await next.coordinator.stop();
  });

  it('get one state for many changes, and none for changes of others', async () => {
    await good('POST', LOGIN, { agent: '1001', queue: 'sales' });
    const [one, two] = [await follow('1001', reem.token), await follow('1002', huda.token)];
    const sales = await queueId('sales');
    const calls = Array.from({ length: 50 }, () => newId());
    for (const callId of calls)
      await parts.coordinator.notify(owner.projectId, () => [{ type: 'entered', callId, queueId: sales }]);
    await one.untilShown('sales logged_in 50');
    expect(one.states.length).to.be.below(calls.length);
    expect(two.states).to.have.length(1);
    const times = one.states.map(({ at }) => at);
    expect(times).to.deep.equal([...times].sort());
  });

  it('are another agent’s for nobody with the role agent, and for no other organization', async () => {
    for (const path of ['/v1/agents/1002/queues', '/v1/agents/1002/queues/stream']) {
      expect(codeOf(await ask('GET', path, undefined, reem.token)), path).to.equal('404 NOT_FOUND');
      const { key: stranger } = await api.key();
      expect(codeOf(await ask('GET', path, undefined, stranger)), path).to.equal('404 NOT_FOUND');
      const finance = await member('1002', 'finance');
      expect(codeOf(await ask('GET', path, undefined, finance.token)), path).to.equal('403 INSUFFICIENT_ROLE');
      const supervisor = await member('1009', 'supervisor');
      expect(codeOf(await ask('GET', path, undefined, supervisor.token)), path).to.equal('200');
    }
    for (const path of ['/v1/agents/1009/queues', '/v1/agents/1009/queues/stream', '/v1/agents/%00/queues'])
      expect(codeOf(await ask('GET', path)), path).to.equal('404 NOT_FOUND');
    for (const action of ['login', 'logout', 'pause', 'unpause']) {
      const json = { agent: '1002', ...(action.startsWith('log') && { queue: 'sales' }) };
      const answer = await ask('POST', `/v1/queues/agents/${action}`, json, reem.token);
      expect(codeOf(answer), action).to.equal('403 INSUFFICIENT_ROLE');
    }
    const nobody = await addMember(database.db, owner.organizationId, { role: 'agent' });
    expect(codeOf(await ask('GET', '/v1/agents/1001/queues', undefined, nobody.token))).to.equal('404 NOT_FOUND');
  });

  it('are refused in both languages when a queue is not there, and change nothing', async () => {
    const answer = await ask('POST', LOGIN, { agent: '1001', queue: 'gone' }, reem.token);
    expect(codeOf(answer)).to.equal('400 VALIDATION_ERROR');
    expect(answer.body?.message).to.contain('there is no queue gone');
    expect(answer.body?.message_ar).to.contain('لا توجد قائمة انتظار بالاسم');
    expect(detailsOf(answer)[0]?.path).to.equal('queue');
    const { queues } = await good('GET', '/v1/agents/1001/queues', undefined, reem.token);
    expect((queues as { since: unknown }[]).map(({ since }) => since)).to.deep.equal([null, null]);
  });

  it('are read in the sandbox without calls and reasons, and changed by no sandbox session', async () => {
    await good('POST', LOGIN, { agent: '1001', queue: 'sales' });
    await good('POST', '/v1/queues/agents/pause', { agent: '1001', reason: 'lunch' });
    const sales = await queueId('sales');
    await parts.coordinator.notify(owner.projectId, () => [{ type: 'entered', callId: newId(), queueId: sales }]);
    const { key: sandbox } = await api.key({ projectId: owner.projectId, kind: 'sandbox' });
    const seen = await good('GET', '/v1/agents/1001/queues', undefined, sandbox);
    expect(seen.pause).to.include({ reason: null });
    expect((seen.queues as object[])[1]).to.include({ status: 'paused', waiting: null, calls_taken: 0 });
    const follower = await follow('1001', sandbox);
    expect(follower.queues).to.deep.equal(['care logged_out', 'sales paused']);
    expect(follower.now.pause?.reason).to.equal(null);
    const headers = { 'X-Hatif-Mode': 'sandbox' };
    const json = { agent: '1001', queue: 'care' };
    const answer = await api.request('POST', LOGIN, { key: reem.token, json, headers });
    expect(codeOf(answer)).to.equal('403 SANDBOX_KEY_NOT_ALLOWED');
  });

  it('are followed no longer than the session', async () => {
    const follower = await follow('1001', reem.token);
    await database.db.query(`UPDATE sessions SET revoked_at = now() WHERE id = $1`, [reem.sessionId]);
    await follower.untilOver();
    const answer = await ask('POST', LOGIN, { agent: '1001', queue: 'sales' }, reem.token);
    expect(codeOf(answer)).to.equal('401 INVALID_ACCESS_TOKEN');
    expect(codeOf(await ask('GET', '/v1/agents/1001/queues/stream', undefined, reem.token))).to.equal(
      '401 INVALID_ACCESS_TOKEN',
    );
  });

  it('have a limited number of streams', async () => {
    const streams = [];
    for (let i = 0; i < STREAMS_PER_KEY; i++) streams.push(await follow('1001', reem.token));
    const path = '/v1/agents/1001/queues/stream';
    expect(codeOf(await ask('GET', path, undefined, reem.token))).to.equal('429 EVENT_STREAM_LIMIT_EXCEEDED');
    await follow('1002', huda.token);
    streams[0]!.leave();
    const isFree = async (): Promise<boolean> => codeOf(await ask('GET', path, undefined, reem.token)) === '200';
    await eventually(isFree, 'the server notices that a client has left');
  });

  it('cannot be read while the database is away', async () => {
    const nowhere = Database.open('postgres://127.0.0.1:1/nowhere');
    const offline = await testApi({ db: database.db, routes: queueParts(nowhere).routes });
    for (const path of ['/v1/agents/1001/queues', '/v1/agents/1001/queues/stream'])
      expect(codeOf(await offline.request('GET', path, { key })), path).to.equal('503 QUEUE_SERVICE_UNAVAILABLE');
    await offline.close();
    expect(offline.faults).to.deep.equal([]);
    await nowhere.close();
  });
});
