import { expect } from 'chai';
import { testApi, type Answer, type TestApi } from '../../support/api.js';
import { bindLine, openQueue } from '../../support/calls/open-queue.js';
import { callControllerEach, control, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { queueParts } from '../../support/stages/queue-stage.js';
import { PARTIES } from '../../../engine/simulator/party.js';

const SECOND = 1_000;

describe('statistics of an agent', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  let api: TestApi;
  let key: string;
  let projectId: string;
  callControllerEach((made) => {
    rig = made;
    ({ projectId } = rig.ground);
  });
  beforeEach(async () => {
    api = await testApi({ db: rig.db, routes: rig.queues.routes });
    ({ key } = await api.key({ projectId }));
    // The agent was created by the clock of the database.
    await rig.db.query(`UPDATE agents SET created_at = created_at - interval '1 day' WHERE project_id = $1`, [
      projectId,
    ]);
  });
  afterEach(async () => {
    expect(api.faults).to.deep.equal([]);
    await api.close();
  });

  const ask = (query = '', as = key, agent = '1001'): Promise<Answer> =>
    api.request('GET', `/v1/agents/${agent}/stats${query}`, { key: as });
  async function stats(query = ''): Promise<Record<string, unknown>> {
    const answer = await ask(query);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body ?? {};
  }
  const at = (time: Date): string => encodeURIComponent(time.toISOString());
  async function dialIn(): Promise<{ callId: string; customer: string }> {
    const customer = rig.engine.callIn({
      source: TRUNK_SOURCE,
      dialled: rig.line,
      callerId: { number: CUSTOMER, name: null },
    });
    await rig.settle();
    return { callId: await rig.newest(), customer };
  }
  const agent = async () => (await rig.queues.coordinator.view(projectId)).agent('1001');
  const becomes = (state: string) => rig.until(async () => (await agent())?.state === state);
  async function pass(seconds: number): Promise<void> {
    await rig.clock.advance(seconds * SECOND);
    await rig.settle();
  }
  async function talk(): Promise<{ callId: string; customer: string }> {
    const call = await dialIn();
    await rig.untilStatus(call.callId, 'answered');
    await becomes('busy');
    return call;
  }
  const NONE = {
    ...{ offered: 0, answered: 0, missed: 0, withdrawn: 0 },
    ...{ talk_seconds: 0, hold_seconds: 0, wrap_up_seconds: 0, paused_seconds: 0, pauses: [] },
  };

  it('are zero for an agent who never signed in', async () => {
    expect(await stats()).to.deep.equal({ agent: '1001', period: null, signed_in_seconds: 0, ...NONE });
  });

  it('count offers, talk, hold and wrap-up, and what lasts until now', async () => {
    await bindLine(rig, await openQueue(rig, { wrap_up_seconds: 10 }));
    const { callId, customer } = await talk();
    const before = Number((await stats()).talk_seconds);
    await pass(30);
    expect(await stats()).to.deep.include({ offered: 1, answered: 1, missed: 0, talk_seconds: before + 30 });
    await rig.controller.command(control(callId, { action: 'hold' }));
    await pass(7);
    expect(await stats()).to.deep.include({ hold_seconds: 7 });
    await rig.controller.command(control(callId, { action: 'unhold' }));
    await pass(3);
    rig.engine.remoteHangup(customer);
    await becomes('wrap_up');
    expect(await stats()).to.deep.include({ talk_seconds: before + 40, hold_seconds: 7 });
    await becomes('idle');
    await pass(60);
    expect(await stats()).to.deep.include({ talk_seconds: before + 40, hold_seconds: 7, wrap_up_seconds: 10 });
  });

  it('count offers that the agent missed and that the caller gave up, and pauses by reason', async () => {
    await bindLine(rig, await openQueue(rig, { unavailable_seconds: 10, max_wait_seconds: 600 }));
    rig.parties.set('agent', PARTIES.rejects);
    const { customer } = await dialIn();
    await becomes('unavailable');
    expect(await stats()).to.deep.include({ offered: 1, answered: 0, missed: 1, withdrawn: 0 });
    rig.parties.set('agent', PARTIES.ringsForEver);
    await becomes('ringing');
    rig.engine.remoteHangup(customer);
    await becomes('idle');
    expect(await stats()).to.deep.include({ offered: 2, answered: 0, missed: 1, withdrawn: 1 });
    for (const [reason, seconds] of [
      ['lunch', 40],
      [null, 5],
      ['lunch', 20],
    ] as const) {
      await rig.queues.signIn.pause(projectId, '1001', reason);
      await pass(seconds);
      if (seconds !== 20) await rig.queues.signIn.unpause(projectId, '1001');
    }
    expect(await stats()).to.deep.include({
      paused_seconds: 65,
      pauses: [
        { reason: 'lunch', count: 2, seconds: 60 },
        { reason: null, count: 1, seconds: 5 },
      ],
    });
  });

  it('count the part of each activity that is in the period, whose end is excluded', async () => {
    const start = rig.clock.now();
    await openQueue(rig);
    await pass(100);
    const from = rig.clock.now();
    await pass(50);
    const to = rig.clock.now();
    await pass(50);
    await rig.queues.signIn.logout(projectId, '1001', 'sales');
    await pass(50);
    expect(await stats()).to.deep.include({ period: null, signed_in_seconds: 200 });
    expect(await stats(`?from=${at(from)}&to=${at(to)}`)).to.deep.equal({
      agent: '1001',
      period: { from: from.toISOString(), to: to.toISOString() },
      signed_in_seconds: 50,
      ...NONE,
    });
    expect(await stats(`?from=${at(to)}`)).to.deep.include({ signed_in_seconds: 50 });
    expect(await stats(`?to=${at(start)}`)).to.deep.include({ signed_in_seconds: 0 });
    const { callId } = await (async () => {
      await rig.queues.signIn.login(projectId, '1001', 'sales');
      await bindLine(rig, (await rig.queues.queues.list(projectId))[0]!.id);
      return talk();
    })();
    const [offer] = await rig.db.query<{ started_at: Date }>(
      `SELECT started_at FROM agent_activities WHERE call_id = $1 AND kind = 'offer'`,
      [callId],
    );
    const offered = async (query: string) => (await stats(query)).offered;
    expect(await offered(`?from=${at(offer!.started_at)}`)).to.equal(1);
    expect(await offered(`?to=${at(offer!.started_at)}`)).to.equal(0);
  });

  it('count time in several queues once, and end when the agent leaves the last one', async () => {
    await openQueue(rig);
    await openQueue(rig, { name: 'second', dial_code: null });
    await pass(10);
    await rig.queues.signIn.logout(projectId, '1001', 'sales');
    await pass(10);
    await rig.queues.signIn.logout(projectId, '1001', 'second');
    await pass(10);
    expect(await stats()).to.deep.include({ signed_in_seconds: 20 });
  });

  it('stay correct when other processes take over, and when a call ended unseen', async () => {
    await bindLine(rig, await openQueue(rig));
    const { callId, customer } = await talk();
    await rig.restart();
    const other = queueParts(rig.db, rig.clock);
    await other.coordinator.view(projectId);
    await pass(20);
    const talked = Number((await stats()).talk_seconds);
    rig.engine.remoteHangup(customer);
    await rig.untilStatus(callId, 'ended');
    // The dispatcher learns of the end an hour later.
    await rig.db.query(
      `UPDATE agent_activities SET ended_at = ended_at + interval '1 hour' WHERE kind = 'talk' AND project_id = $1`,
      [projectId],
    );
    await pass(7200);
    expect(await stats()).to.deep.include({ offered: 1, answered: 1, talk_seconds: talked });
    await other.signIn.logout(projectId, '1001', 'sales');
    await pass(10);
    const signedIn = (await stats()).signed_in_seconds;
    await pass(10);
    expect((await stats()).signed_in_seconds).to.equal(signedIn);
    await other.coordinator.stop();
  });

  it('do not contain those of a former agent with the same extension', async () => {
    await openQueue(rig);
    await pass(30);
    await rig.queues.agents.remove(projectId, '1001');
    await rig.queues.watch.compare();
    await rig.queues.coordinator.idle();
    await pass(30);
    const { projectId: id, organizationId: organization_id } = rig.ground;
    await rig.queues.agents.add({ id, organization_id }, '1001');
    await pass(30);
    expect(await stats()).to.deep.include({ signed_in_seconds: 0 });
    const [left] = await rig.db.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM agent_activities WHERE project_id = $1 AND ended_at IS NULL`,
      [projectId],
    );
    expect(left?.open).to.equal(0);
  });

  it('are refused for unknown agents, other projects, other scopes and impossible periods', async () => {
    const codeOf = async (answer: Promise<Answer>): Promise<string> => {
      const { status, body } = await answer;
      return `${status} ${String(body?.error_code)}`;
    };
    expect(await codeOf(ask('', key, '9999'))).to.equal('404 NOT_FOUND');
    const { key: stranger } = await api.key();
    expect(await codeOf(ask('', stranger))).to.equal('404 NOT_FOUND');
    const { key: other } = await api.key({ projectId, scopes: ['calls:read'] });
    expect(await codeOf(ask('', other))).to.equal('403 INSUFFICIENT_PERMISSIONS');
    expect(await codeOf(ask('?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z'))).to.equal('400 VALIDATION_ERROR');
    expect(await codeOf(ask('?from=yesterday'))).to.equal('400 VALIDATION_ERROR');
  });
});
