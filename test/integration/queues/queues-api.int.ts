import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { Database } from '../../../core/data/database.js';
import { SCOPES } from '../../../core/model/access/scopes.js';
import { Dispatcher } from '../../../core/model/queue/dispatcher.js';
import { openApiDocument } from '../../../api/http/openapi.js';
import { testApi, type Answer } from '../../support/api.js';
import { queueParts } from '../../support/stages/queue-stage.js';
import { queueApiEach, type QueueApiStage } from '../../support/stages/queue-api-stage.js';
import { callRow, groundIn, insertRows } from '../../support/rows/rows.js';
import { paged } from '../../support/judges/paged.js';
import { documentProblems, routeProblems } from '../../support/judges/route-contract.js';

describe('the API of queues and agents', function () {
  this.timeout(60_000);
  let database: QueueApiStage['database'];
  let parts: QueueApiStage['parts'];
  let api: QueueApiStage['api'];
  let key: QueueApiStage['key'];
  let projectId: QueueApiStage['projectId'];
  let request: QueueApiStage['request'];
  let good: QueueApiStage['good'];
  queueApiEach((stage) => ({ database, parts, api, key, projectId, request, good } = stage));

  const codeOf = async (answer: Promise<Answer>): Promise<string> => {
    const { body } = await answer;
    const [detail] = (body?.details ?? []) as { path: string }[];
    return `${String(body?.error_code)}${detail ? ` ${detail.path}` : ''}`;
  };
  const queue = async (json: object = {}) => good('POST', '/queues', { name: 'sales', dial_code: '501', ...json });
  const member = async (json: object = {}) =>
    good('POST', '/queues/agents/login', { agent: '1001', queue: 'sales', ...json });
  const members = async (query = '') =>
    (await good('GET', `/queues/members${query}`)).data as Record<string, unknown>[];

  it('conforms to the OpenAPI contract', async () => {
    expect(await routeProblems(api, parts.routes)).to.deep.equal([]);
    const document = openApiDocument({ routes: parts.routes, version: '1', serverUrl: '' });
    expect(documentProblems(document, parts.routes)).to.deep.equal([]);
  });

  describe('queues', () => {
    it('are created with defaults, read, changed, listed and removed', async () => {
      const made = await queue();
      expect(made).to.deep.include({
        name: 'sales',
        dial_code: '501',
        strategy: 'longest_idle',
        wrap_up_seconds: 5,
        ring_timeout_seconds: 20,
        max_wait_seconds: 300,
        max_length: 100,
        service_level_seconds: 20,
        announce_position: false,
        music: null,
        overflow: { type: 'hangup', target: null },
        callback_mode: 'agent_first',
        record: false,
      });
      const other = await queue({ name: 'after-sales', dial_code: null, overflow: { type: 'queue', target: made.id } });
      expect(await good('GET', `/queues/${String(made.id)}`)).to.deep.equal(made);
      const changed = await good('PATCH', `/queues/${String(made.id)}`, { strategy: 'ring_all', max_length: 3 });
      expect(changed).to.deep.equal({ ...made, strategy: 'ring_all', max_length: 3 });
      expect((await good('GET', '/queues')).data).to.deep.equal([other, changed]);
      await good('DELETE', `/queues/${String(made.id)}`);
      expect(await codeOf(request('GET', `/queues/${String(made.id)}`))).to.equal('NOT_FOUND');
      expect(await codeOf(request('DELETE', `/queues/${String(made.id)}`))).to.equal('NOT_FOUND');
      await queue();
    });

    it('reject taken names, unknown references and invalid values without any change', async () => {
      const { id } = await queue();
      const refused: [object, string][] = [
        [{ name: 'sales' }, 'VALIDATION_ERROR name'],
        [{ name: 'Sales Team' }, 'VALIDATION_ERROR name'],
        [{ name: 'b', dial_code: '501' }, 'VALIDATION_ERROR dial_code'],
        [{ name: 'b', dial_code: '*1' }, 'VALIDATION_ERROR dial_code'],
        [{ name: 'b', strategy: 'fastest' }, 'VALIDATION_ERROR strategy'],
        [{ name: 'b', max_length: 0 }, 'VALIDATION_ERROR max_length'],
        [{ name: 'b', music: newId() }, 'VALIDATION_ERROR music'],
        [{ name: 'b', overflow: { type: 'queue', target: newId() } }, 'VALIDATION_ERROR overflow.target'],
        [{ name: 'b', overflow: { type: 'number', target: '12' } }, 'INVALID_PHONE_NUMBER overflow.target'],
        [{ name: 'b', overflow: { type: 'callflow', target: newId() } }, 'VALIDATION_ERROR overflow.target'],
        [{ name: 'b', overflow: { type: 'voicemail', target: '+966112345678' } }, 'VALIDATION_ERROR overflow.target'],
        [{ name: 'b', overflow: { type: 'voicemail' } }, 'VALIDATION_ERROR overflow.target'],
        [{}, 'VALIDATION_ERROR name'],
      ];
      for (const [json, code] of refused) expect(await codeOf(request('POST', '/queues', json))).to.equal(code);
      expect(
        await codeOf(request('PATCH', `/queues/${String(id)}`, { overflow: { type: 'queue', target: id } })),
      ).to.equal('VALIDATION_ERROR overflow.target');
      expect((await good('GET', '/queues')).data).to.have.length(1);
    });

    it('of another project are not found', async () => {
      const { id } = await queue();
      const { key: stranger } = await api.key();
      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['GET', '/stats'],
        ['GET', '/waiting'],
      ] as const) {
        const json = method === 'PATCH' ? {} : undefined;
        expect(await codeOf(request(method, `/queues/${String(id)}${path}`, json, stranger))).to.equal('NOT_FOUND');
      }
      expect((await request('GET', '/queues', undefined, stranger)).body?.data).to.deep.equal([]);
    });
  });

  describe('agents', () => {
    it('are added with a password that is shown once, changed, listed and removed', async () => {
      const { sip_password, sip_server, sip_transport, ...made } = await good('POST', '/agents', {
        agent: '1001',
        display_name: 'Reem',
        priority: 2,
      });
      expect(sip_password).to.match(/^[0-9A-Za-z]{18}$/);
      expect([sip_server, sip_transport]).to.deep.equal(['192.0.2.10:5060', 'udp']);
      expect(made).to.deep.include({ agent: '1001', display_name: 'Reem', priority: 2 });
      expect(await good('GET', '/agents/1001')).to.deep.equal(made);
      const changed = await good('PATCH', '/agents/1001', { display_name: 'Reem A', priority: 1 });
      expect(changed).to.deep.equal({ ...made, display_name: 'Reem A', priority: 1 });
      expect((await good('GET', '/agents')).data).to.deep.equal([changed]);
      const renewed = await good('POST', '/agents/1001/sip-password');
      expect(renewed.sip_password).not.to.equal(sip_password);
      await good('DELETE', '/agents/1001');
      for (const [method, path, json] of [
        ['GET', '', undefined],
        ['PATCH', '', { priority: 1 }],
        ['DELETE', '', undefined],
        ['POST', '/sip-password', {}],
      ] as const) {
        expect(await codeOf(request(method, `/agents/1001${path}`, json))).to.equal('NOT_FOUND');
        expect(await codeOf(request(method, `/agents/%00${path}`, json))).to.equal('NOT_FOUND');
      }
    });

    it('do not show the password again on a retry', async () => {
      const headers = { 'Idempotency-Key': 'once' };
      const options = { key, json: { agent: '1002' }, headers };
      const first = await api.request('POST', '/v1/agents', options);
      const again = await api.request('POST', '/v1/agents', options);
      expect(first.body?.sip_password).to.be.a('string');
      expect(again.body).to.deep.equal({ ...first.body, sip_password: null });
    });

    it('reject names that no softphone can have, and invalid priorities', async () => {
      await good('POST', '/agents', { agent: '1001' });
      expect(await codeOf(request('POST', '/agents', { agent: '1001' }))).to.equal('VALIDATION_ERROR agent');
      expect(await codeOf(request('POST', '/agents', { agent: 'a b' }))).to.equal('VALIDATION_ERROR agent');
      expect(await codeOf(request('POST', '/agents', { agent: '1003', priority: 10 }))).to.equal(
        'VALIDATION_ERROR priority',
      );
      expect(await codeOf(request('PATCH', '/agents/1001', { display_name: '<x>' }))).to.equal(
        'VALIDATION_ERROR display_name',
      );
      const { key: stranger } = await api.key();
      expect(await codeOf(request('GET', '/agents/1001', undefined, stranger))).to.equal('NOT_FOUND');
    });
  });

  describe('members', () => {
    beforeEach(async () => {
      await queue();
      await good('POST', '/agents', { agent: '1001' });
    });

    it('sign in and out by queue name or id; a repeat does nothing, and webhooks are notified once', async () => {
      const [{ id }] = (await good('GET', '/queues')).data as [{ id: string }];
      expect(await member()).to.deep.equal({ agent: '1001', queue: 'sales', status: 'logged_in' });
      expect(await member({ queue: id })).to.deep.equal({ agent: '1001', queue: 'sales', status: 'logged_in' });
      expect(await members('?queue=sales')).to.deep.equal(await members(`?queue=${id}`));
      const [shown] = await members();
      expect(shown).to.deep.include({ agent: '1001', queue: 'sales', status: 'logged_in', calls_taken: 0 });
      // No softphone is registered.
      expect(shown).to.deep.include({ state: 'unavailable', registered: false });
      const out = await good('POST', '/queues/agents/logout', { agent: '1001', queue: 'sales' });
      expect(out).to.deep.equal({ agent: '1001', queue: 'sales', status: 'logged_out' });
      await good('POST', '/queues/agents/logout', { agent: '1001', queue: 'sales' });
      expect((await members())[0]).to.deep.include({ status: 'logged_out' });
      expect(await members('?queue=nowhere')).to.deep.equal([]);
      const events = await database.db.query<{ type: string; data: object }>(
        `SELECT type, data FROM events WHERE project_id = $1 ORDER BY id`,
        [projectId],
      );
      expect(events).to.deep.equal([
        { type: 'queue.agent_logged_in', data: { agent: '1001', queue: 'sales', queue_id: id } },
        { type: 'queue.agent_logged_out', data: { agent: '1001', queue: 'sales', queue_id: id } },
      ]);
    });

    it('pause and resume', async () => {
      const pause = { agent: '1001', reason: 'prayer' };
      const paused = { agent: '1001', queue: null, status: 'paused', reason: 'prayer' };
      const [{ id }] = (await good('GET', '/queues')).data as [{ id: string }];
      await member();
      expect(await good('GET', '/agents/1001')).to.deep.include({ pause: null });
      expect(await good('POST', '/queues/agents/pause', pause)).to.deep.equal(paused);
      expect(await good('POST', '/queues/agents/pause', { agent: '1001', reason: 'lunch' })).to.deep.equal(paused);
      expect((await members())[0]).to.deep.include({ status: 'paused', pause_reason: 'prayer' });
      const shown = await good('GET', '/agents/1001');
      expect(shown.pause).to.deep.include({ reason: 'prayer' }).and.have.property('since').that.is.a('string');
      expect((await good('GET', '/agents')).data).to.deep.include(shown);
      expect(await good('PATCH', '/agents/1001', { priority: 5 })).to.deep.equal(shown);
      const stats = await good('GET', `/queues/${id}/stats`);
      expect(stats.pauses).to.deep.equal([{ reason: 'prayer', agents: 1 }]);
      const resumed = await good('POST', '/queues/agents/unpause', pause);
      expect(resumed).to.deep.equal({ agent: '1001', queue: null, status: 'logged_in', reason: null });
      expect((await members())[0]).to.deep.include({ status: 'logged_in', pause_reason: null });
      expect((await good('GET', `/queues/${id}/stats`)).pauses).to.deep.equal([]);
      const events = await database.db.query<{ type: string; data: Record<string, unknown> }>(
        `SELECT type, data FROM events WHERE project_id = $1 AND type LIKE '%paused' ORDER BY id`,
        [projectId],
      );
      expect(events.map(({ type, data }) => [type, data.agent, data.reason])).to.deep.equal([
        ['queue.agent_paused', '1001', 'prayer'],
        ['queue.agent_unpaused', '1001', 'prayer'],
      ]);
      expect(events[1]?.data.paused_seconds).to.be.at.least(0);
      await good('POST', '/queues/agents/logout', { agent: '1001', queue: 'sales' });
      expect(await good('POST', '/queues/agents/unpause', pause)).to.deep.include({ status: 'logged_out' });
    });

    it('must be agents and queues of the project', async () => {
      for (const action of ['login', 'logout']) {
        const path = `/queues/agents/${action}`;
        expect(await codeOf(request('POST', path, { agent: '1009', queue: 'sales' }))).to.equal(
          'VALIDATION_ERROR agent',
        );
        expect(await codeOf(request('POST', path, { agent: '1001', queue: newId() }))).to.equal(
          'VALIDATION_ERROR queue',
        );
      }
      expect(await codeOf(request('POST', '/queues/agents/pause', { agent: '1009' }))).to.equal(
        'VALIDATION_ERROR agent',
      );
      const { key: stranger } = await api.key();
      const answer = request('POST', '/queues/agents/login', { agent: '1001', queue: 'sales' }, stranger);
      expect(await codeOf(answer)).to.equal('VALIDATION_ERROR queue');
    });

    it('leave the queue when the queue or the agent is removed', async () => {
      const { id } = await queue({ name: 'b', dial_code: null });
      await member();
      await member({ queue: 'b' });
      await good('DELETE', `/queues/${String(id)}`);
      expect((await members()).map(({ queue: name }) => name)).to.deep.equal(['sales']);
      await good('DELETE', '/agents/1001');
      expect(await members()).to.deep.equal([]);
    });

    it('are unavailable while the log is unavailable or locked', async () => {
      await member();
      const locker = Database.open(database.url, { poolSize: 1 });
      await locker.transaction(async (tx) => {
        await tx.query(`SELECT 1 FROM queue_dispatchers WHERE project_id = $1 FOR UPDATE`, [projectId]);
        const stuck = await request('POST', '/queues/agents/logout', { agent: '1001', queue: 'sales' });
        expect(stuck.status).to.equal(502);
        expect(stuck.body).to.include({ error_code: 'QUEUE_CONTROL_FAILED' });
      });
      await locker.close();
      const nowhere = Database.open('postgres://127.0.0.1:1/nowhere');
      const offline = await testApi({ db: database.db, routes: queueParts(nowhere).routes });
      for (const [method, path, json] of [
        ['POST', '/queues/agents/login', { agent: '1001', queue: 'sales' }],
        ['POST', '/queues/agents/pause', { agent: '1001' }],
        ['GET', '/queues/members', undefined],
        ['GET', `/queues/${newId()}/stats`, undefined],
        ['GET', `/queues/${newId()}/waiting`, undefined],
      ] as const) {
        const answer = await offline.request(method, `/v1${path}`, { key, ...(json && { json }) });
        expect(answer.status, path).to.equal(503);
        expect(answer.body, path).to.include({ error_code: 'QUEUE_SERVICE_UNAVAILABLE' });
      }
      await offline.close();
      expect(offline.faults).to.deep.equal([]);
      await nowhere.close();
    });
  });

  it('pages queues, agents and members', async () => {
    const pages = (path: string) =>
      paged((query) => request('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`), 2);
    for (const name of ['sales', 'care', 'billing']) await queue({ name, dial_code: null });
    for (const agent of ['1003', '1001', '1002']) {
      await good('POST', '/agents', { agent });
      await member({ agent });
    }
    await member({ agent: '1002', queue: 'care' });
    expect((await pages('/queues')).map(({ name }) => name)).to.deep.equal(['billing', 'care', 'sales']);
    expect((await pages('/agents')).map(({ agent }) => agent)).to.deep.equal(['1001', '1002', '1003']);
    const membersOf = async (path: string) =>
      (await pages(path)).map(({ queue: name, agent }) => `${String(name)} ${String(agent)}`);
    const sales = ['sales 1001', 'sales 1002', 'sales 1003'];
    expect(await membersOf('/queues/members')).to.deep.equal(['care 1002', ...sales]);
    expect(await membersOf('/queues/members?queue=sales')).to.deep.equal(sales);
    const first = await good('GET', '/agents?limit=2');
    // Added and removed agents neither repeat nor hide others.
    await good('POST', '/agents', { agent: '1000' });
    await good('DELETE', '/agents/1002');
    const next = await good('GET', `/agents?limit=2&cursor=${String(first.next_cursor)}`);
    expect((next.data as { agent: string }[]).map(({ agent }) => agent)).to.deep.equal(['1003']);
    for (const path of ['/queues', '/queues/members']) {
      const foreign = request('GET', `${path}?cursor=${String(first.next_cursor)}`);
      expect(await codeOf(foreign)).to.equal('VALIDATION_ERROR cursor');
    }
  });

  it('shows waiting customers’ full numbers only to a key with the scope pii:read', async () => {
    const { id } = await queue();
    const path = `/queues/${String(id)}/waiting`;
    const ground = await groundIn(database.db);
    const { key: own } = await api.key({ projectId: ground.projectId, scopes: SCOPES });
    const queueId = String((await request('POST', '/queues', { name: 'care' }, own)).body?.id);
    const [call, withheld] = [callRow(ground), callRow(ground, { customer_number: 'anonymous' })];
    await insertRows(database.db, 'calls', [call, withheld]);
    const entered = (callId: string, of: string) => ({ type: 'entered', callId, queueId: of }) as const;
    await parts.coordinator.notify(ground.projectId, () => [entered(call.id, queueId), entered(withheld.id, queueId)]);
    // As if a call of another project waited in the queue.
    await parts.coordinator.notify(projectId, () => [entered(call.id, String(id))]);
    const numbers = async (from: string, as: string): Promise<unknown[]> =>
      ((await request('GET', from, undefined, as)).body?.data as Record<string, unknown>[]).map(
        ({ customer_number }) => customer_number,
      );
    const there = `/queues/${queueId}/waiting`;
    expect(await numbers(there, own)).to.deep.equal(['+966501234517', null]);
    const { key: masked } = await api.key({ projectId: ground.projectId });
    expect(await numbers(there, masked)).to.deep.equal([undefined, undefined]);
    const { key: other } = await api.key({ projectId, scopes: SCOPES });
    expect(await numbers(path, other)).to.deep.equal([null]);
    const { key: sandbox } = await api.key({ projectId: ground.projectId, scopes: SCOPES, kind: 'sandbox' });
    expect(await numbers(there, sandbox)).to.deep.equal([]);
  });

  it('returns current state and statistics', async () => {
    const { id } = await queue({ service_level_seconds: 5 });
    await good('POST', '/agents', { agent: '1001' });
    await member();
    const queueId = String(id);
    const { coordinator } = parts;
    const calls = [newId(), newId(), newId()] as const;
    await coordinator.notify(projectId, () => calls.map((callId) => ({ type: 'entered', callId, queueId })));
    const waiting = (await good('GET', `/queues/${queueId}/waiting`)).data as Record<string, unknown>[];
    expect(waiting.map(({ call_id, position, status }) => [call_id, position, status])).to.deep.equal(
      calls.map((callId, index) => [callId, index + 1, 'waiting']),
    );
    await coordinator.notify(projectId, () => [
      { type: 'registration', agent: '1001', registered: true },
      { type: 'answered', callId: calls[0], agent: '1001', legId: newId() },
      { type: 'left', callId: calls[1] },
    ]);
    const stats = await good('GET', `/queues/${queueId}/stats`);
    expect(stats).to.deep.include({
      queue: 'sales',
      waiting: 1,
      period: null,
      offered: 3,
      answered: 1,
      abandoned: 1,
      overflowed: 0,
      service_level: 33.3,
    });
    expect(stats.agents).to.deep.include({ busy: 1, idle: 0 });
    const later = await good('GET', `/queues/${queueId}/stats?from=2040-01-01T00:00:00Z`);
    expect(later).to.deep.include({ offered: 0, service_level: null, average_wait: null });
    expect(later.period).to.deep.equal({ from: '2040-01-01T00:00:00.000Z', to: null });
    const path = `/queues/${queueId}/stats?from=2040-01-01T00:00:00Z&to=2030-01-01T00:00:00Z`;
    expect(await codeOf(request('GET', path))).to.equal('VALIDATION_ERROR from');
  });

  it('writes a log that can be replayed', async () => {
    await queue();
    await good('POST', '/agents', { agent: '1001' });
    await member();
    const rows = await database.db.query<{ event: never; decisions: object[] }>(
      `SELECT event, decisions FROM queue_log WHERE project_id = $1 ORDER BY sequence`,
      [projectId],
    );
    const replayed = new Dispatcher();
    for (const { event, decisions } of rows) expect(replayed.apply(event)).to.deep.equal(decisions);
    expect(replayed.snapshot()).to.deep.equal((await parts.coordinator.view(projectId)).snapshot());
  });
});
