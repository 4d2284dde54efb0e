import { expect } from 'chai';
import type { CallRow, EventRow } from '../../../core/data/rows.js';
import { Dispatcher } from '../../../core/model/queue/dispatcher.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { bindLine, openQueue } from '../../support/calls/open-queue.js';

describe('calls in queues', function () {
  this.timeout(60_000);
  let rig: CallControllerRig;
  let queueId: string;
  let projectId: string;
  callControllerEach((made) => {
    rig = made;
    ({ projectId } = rig.ground);
  });

  /** Creates a queue bound to the line, with the agent signed in unless `isStaffed` is false. */
  async function open(settings: Parameters<typeof openQueue>[1] = {}, isStaffed = true): Promise<void> {
    queueId = await openQueue(rig, settings, isStaffed);
    await bindLine(rig, queueId);
  }

  /** Calls the line. @returns the call and the caller's leg */
  async function dialIn(): Promise<{ callId: string; customer: string }> {
    const customer = rig.engine.callIn({
      source: TRUNK_SOURCE,
      dialled: rig.line,
      callerId: { number: '+966501234517', name: null },
    });
    await rig.settle();
    await rig.until(async () => (await waitingCall(customer)) !== null);
    return { callId: (await waitingCall(customer))!, customer };
  }

  async function waitingCall(legId: string): Promise<string | null> {
    const [row] = await rig.db.query<{ call_id: string }>(
      `SELECT call_id FROM legs WHERE id = $1 AND status = 'answered'`,
      [legId],
    );
    return row?.call_id ?? null;
  }

  const find = async (callId: string): Promise<CallRow> => (await rig.calls.find(callId))!;
  const agentLegs = async (callId: string) => (await rig.legs(callId)).filter(({ role }) => role === 'agent');
  const stateOf = async () => (await rig.queues.coordinator.view(projectId)).agent('1001')?.state;
  const queueEvents = (callId: string) =>
    rig.db.query<EventRow>(`SELECT * FROM events WHERE call_id = $1 AND type LIKE 'queue.%' ORDER BY sequence`, [
      callId,
    ]);
  const isTalking = (callId: string) => rig.until(async () => (await find(callId)).status === 'answered');

  it('are answered by an agent, who then has wrap-up time', async () => {
    await open();
    const { callId, customer } = await dialIn();
    await rig.settle();
    expect(await find(callId)).to.include({ status: 'ringing', served_queue_id: queueId, agent: null });
    expect(rig.look(customer)).to.include({ held: true });
    await isTalking(callId);
    const [agent] = await agentLegs(callId);
    expect(rig.look(customer)).to.include({ held: false, bridgeId: callId });
    expect(rig.look(agent!.id)).to.include({ bridgeId: callId });
    expect(await find(callId)).to.include({ agent: '1001', queued_seconds: 2 });
    await rig.settle();
    expect(await stateOf()).to.equal('busy');
    rig.engine.remoteHangup(customer);
    await rig.untilStatus(callId, 'ended');
    await rig.until(async () => (await stateOf()) === 'wrap_up');
    await rig.until(async () => (await stateOf()) === 'idle');
    expect(await rig.eventTypes(callId)).to.deep.equal([
      'call.initiated',
      'call.ringing',
      'queue.entered',
      'call.answered',
      'queue.left',
      'call.ended',
    ]);
    const [entered, left] = await queueEvents(callId);
    expect(entered?.data).to.deep.include({ queue: 'sales', queue_id: queueId, call_id: callId });
    expect(left?.data).to.deep.include({ outcome: 'answered', agent: '1001', waited_seconds: 2 });
    const stats = await rig.queues.visits.stats(queueId, 20, { from: null, to: null });
    expect(stats).to.include({ offered: 1, answered: 1, in_time: 1 });
    expect(stats.average_talk_ms).to.not.equal(null);
  });

  it('wait until an agent signs in', async () => {
    await open({}, false);
    const { callId } = await dialIn();
    await rig.settle();
    expect(await agentLegs(callId)).to.deep.equal([]);
    await rig.queues.signIn.login(projectId, '1001', 'sales');
    await isTalking(callId);
  });

  it('are offered again after a refusal, when the agent’s penalty is over', async () => {
    await open();
    rig.parties.set('agent', PARTIES.busy);
    const { callId } = await dialIn();
    await rig.until(async () => (await stateOf()) === 'unavailable');
    rig.parties.delete('agent');
    await isTalking(callId);
    expect((await agentLegs(callId)).map(({ status }) => status)).to.deep.equal(['ended', 'answered']);
    expect((await find(callId)).queued_seconds).to.be.at.least(10);
  });

  it('stop ringing agents when the caller hangs up', async () => {
    await open();
    rig.parties.set('agent', PARTIES.ringsForEver);
    const { callId, customer } = await dialIn();
    await rig.until(async () => (await agentLegs(callId))[0]?.status === 'ringing');
    rig.engine.remoteHangup(customer);
    await rig.untilStatus(callId, 'missed');
    await rig.settle();
    expect(await find(callId)).to.include({ disposition: 'queue_abandoned' });
    expect((await agentLegs(callId))[0]).to.include({ status: 'ended' });
    expect(rig.queues.coordinator.known(projectId)?.waiting()).to.deep.equal([]);
    await rig.until(async () => (await stateOf()) === 'idle');
    expect((await queueEvents(callId))[1]?.data).to.include({ outcome: 'abandoned' });
    expect((await rig.eventTypes(callId)).slice(-2)).to.deep.equal(['queue.left', 'call.missed']);
  });

  it('end when no agent answers in time', async () => {
    await open({ max_wait_seconds: 30 }, false);
    const { callId } = await dialIn();
    await rig.untilStatus(callId, 'timeout');
    expect(await find(callId)).to.include({ disposition: 'queue_timeout', queued_seconds: 30 });
  });

  it('overflow to a number when no agent answers in time, or to another queue when this one is full', async () => {
    await open({ max_wait_seconds: 30, overflow: { type: 'number', target: '+966509999999' } }, false);
    const { callId } = await dialIn();
    await isTalking(callId);
    expect((await agentLegs(callId))[0]).to.include({ number: '+966509999999', status: 'answered' });
    const [, left] = await queueEvents(callId);
    expect(left?.data).to.include({ outcome: 'max_wait' });
    const { queues } = rig.queues;
    const other = await openQueue(rig, { name: 'other', dial_code: null }, false);
    await queues.change(projectId, queueId, { max_length: 1, overflow: { type: 'queue', target: other } });
    await dialIn();
    const second = await dialIn();
    await rig.until(async () => (await find(second.callId)).served_queue_id === other);
    await rig.settle();
    expect((await queueEvents(second.callId)).map(({ data }) => (data as { queue: string }).queue)).to.deep.equal([
      'sales',
      'sales',
      'other',
    ]);
  });

  it('hear their position in both languages, then music again', async () => {
    await open({ announce_position: true }, false);
    const spoken: string[] = [];
    const { media } = rig.engine;
    const play = media.play.bind(media);
    rig.engine.media.play = async (request) => {
      spoken.push(...request.items.map(({ type }) => type));
      await play(request);
    };
    const { customer } = await dialIn();
    await rig.until(() => Promise.resolve(spoken.length === 2));
    expect(rig.look(customer)).to.include({ held: false });
    await rig.until(() => Promise.resolve(rig.look(customer)?.held === true));
    await rig.until(() => Promise.resolve(spoken.length === 4));
  });

  it('are recorded from the moment an agent takes them', async () => {
    await open({ record: true });
    const { callId } = await dialIn();
    await isTalking(callId);
    await rig.settle();
    expect((await rig.calls.recordingsOf([callId])).length).to.equal(1);
  });

  describe('whose process dies', () => {
    it('while they wait, are served by the next process', async () => {
      await open({}, false);
      const { callId, customer } = await dialIn();
      await rig.settle();
      await rig.restart();
      expect(rig.look(customer)).to.include({ held: true });
      await rig.queues.signIn.login(projectId, '1001', 'sales');
      await isTalking(callId);
      expect(await agentLegs(callId)).to.have.length(1);
    });

    it('while an agent is rung, keep ringing that agent and no other', async () => {
      await open();
      rig.parties.set('agent', PARTIES.ringsForEver);
      const { callId } = await dialIn();
      await rig.until(async () => (await agentLegs(callId))[0]?.status === 'ringing');
      await rig.restart();
      const [agent] = await agentLegs(callId);
      rig.engine.remoteAnswer(agent!.id);
      await isTalking(callId);
      expect(await agentLegs(callId)).to.have.length(1);
    });

    it('when the agent’s answer was missed, are bridged', async () => {
      await open();
      rig.parties.set('agent', PARTIES.ringsForEver);
      const { callId } = await dialIn();
      await rig.until(async () => (await agentLegs(callId))[0]?.status === 'ringing');
      const [agent] = await agentLegs(callId);
      rig.engine.disconnect('no process is connected');
      rig.engine.remoteAnswer(agent!.id);
      rig.engine.reconnect();
      await rig.restart();
      await isTalking(callId);
      expect(rig.look(agent!.id)).to.include({ bridgeId: callId });
    });

    it('when an overflow was missed, overflow after the restart', async () => {
      await open({ max_wait_seconds: 30 }, false);
      const { callId } = await dialIn();
      await rig.settle();
      rig.lease.mayCommand = false;
      await rig.queues.coordinator.notify(projectId, () => [{ type: 'queue_removed', queueId }]);
      rig.lease.mayCommand = true;
      await rig.restart();
      await rig.untilStatus(callId, 'timeout');
    });
  });

  it('can be placed by the API, and join a conference while they wait', async () => {
    await open({}, false);
    const callId = await rig.place({ type: 'queue', queueId });
    await rig.untilStatus(callId, 'answered');
    await rig.settle();
    expect(rig.queues.coordinator.known(projectId)?.waiting()).to.have.length(1);
    const join = {
      type: 'join_conference',
      callId,
      conferenceId: null,
      name: 'talk',
      muted: false,
      beep: false,
      startOnEnter: true,
      endOnExit: false,
      maxParticipants: 3,
      requestId: 'r',
      actor: null,
    } as const;
    await rig.controller.command(join);
    await rig.queues.signIn.login(projectId, '1001', 'sales');
    await rig.settle();
    await rig.settle();
    expect(await agentLegs(callId)).to.deep.equal([]);
    expect(rig.queues.coordinator.known(projectId)?.waiting()).to.deep.equal([]);
    expect((await queueEvents(callId))[1]?.data).to.include({ outcome: 'abandoned' });
    const other = await rig.place({ type: 'queue', queueId });
    await rig.until(async () => (await agentLegs(other))[0]?.status === 'answered');
    expect(await find(other)).to.include({ status: 'answered', agent: '1001', served_queue_id: queueId });
  });

  it('ring the phone of an agent who forwards other calls, but not in do-not-disturb', async () => {
    await open();
    const doNotDisturb = (on: boolean) =>
      rig.forwarding.byPhone.change(projectId, '1001', { does: 'do_not_disturb', on });
    await doNotDisturb(true);
    const always = { type: 'number', target: '+966559876543' } as const;
    await rig.forwarding.manage.change(projectId, '1001', { always, busy: always, no_answer: always });
    const { callId } = await dialIn();
    await rig.settle();
    expect(await agentLegs(callId)).to.deep.equal([]);
    expect(await stateOf()).to.equal('unavailable');
    await doNotDisturb(false);
    await isTalking(callId);
    const legs = await agentLegs(callId);
    expect(legs.map(({ endpoint }) => (endpoint as { type: string }).type)).to.deep.equal(['softphone']);
  });

  it('sign in, pause and sign out by feature codes of a softphone', async () => {
    await open({}, false);
    const dial = async (dialled: string): Promise<void> => {
      const leg = rig.engine.callIn({
        source: { type: 'softphone', aor: `a${projectId}` },
        dialled,
        callerId: { number: null, name: null },
      });
      await rig.until(() => Promise.resolve(rig.look(leg) === null));
    };
    const member = async () => {
      const entry = (await rig.queues.coordinator.view(projectId)).agent('1001');
      return { isIn: entry?.memberships[0]?.isIn ?? false, paused: (entry?.paused ?? null) !== null };
    };
    await dial('*45501');
    expect(await member()).to.deep.equal({ isIn: true, paused: false });
    await dial('*47');
    expect(await member()).to.deep.equal({ isIn: true, paused: true });
    await dial('*47');
    expect(await member()).to.deep.equal({ isIn: true, paused: false });
    await dial('*46501');
    expect(await member()).to.deep.equal({ isIn: false, paused: false });
    await dial('*45777');
    expect(await member()).to.deep.equal({ isIn: false, paused: false });
  });

  it('leave a log that replays to the same decisions', async () => {
    await open();
    const { callId, customer } = await dialIn();
    await isTalking(callId);
    rig.engine.remoteHangup(customer);
    await rig.untilStatus(callId, 'ended');
    await rig.settle();
    const log = await rig.db.query<{ event: never; decisions: object[] }>(
      `SELECT event, decisions FROM queue_log WHERE project_id = $1 ORDER BY sequence`,
      [projectId],
    );
    const replayed = new Dispatcher();
    for (const { event, decisions } of log) expect(replayed.apply(event)).to.deep.equal(decisions);
    expect(log.length).to.be.greaterThan(5);
  });
});
