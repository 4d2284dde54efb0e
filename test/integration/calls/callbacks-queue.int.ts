import { expect } from 'chai';
import type { LegRow } from '../../../core/data/rows.js';
import { graphDefinition } from '../../../core/model/flow/definition.js';
import { PARTIES } from '../../../engine/simulator/party.js';
import { callbackEach, type CallbackStage } from '../../support/stages/callbacks.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';
import { activeFlow } from '../../support/calls/flows.js';
import { openQueue } from '../../support/calls/open-queue.js';
import { outcome } from '../../support/judges/outcome.js';

describe('callbacks of a queue', function () {
  this.timeout(60_000);
  let stage: CallbackStage;
  let rig: CallControllerRig;
  let projectId: string;
  callbackEach((made) => ([stage, rig, projectId] = [made, made.phones, made.projectId]));

  const placed = (json?: object): Promise<string> => stage.placedFromQueue(json);
  const legOf = async (callId: string, role: LegRow['role']): Promise<LegRow | undefined> =>
    (await rig.legs(callId)).filter((leg) => leg.role === role).at(-1);
  const rings = (callId: string, role: LegRow['role'] = 'agent') =>
    rig.until(async () => (await legOf(callId, role))?.status === 'ringing');
  const member = async () => (await rig.queues.coordinator.view(projectId)).agent('1001');
  const becomes = (state: string) => rig.until(async () => (await member())?.state === state);
  const statusOf = async (callId: string) => (await stage.read(callId)).status;

  describe('agent first', () => {
    it('ring an agent, then the customer, and join the two', async () => {
      const queueId = await openQueue(rig);
      const answer = await stage.post({ to: CUSTOMER, queue_id: queueId });
      expect(answer.body).to.include({ status: 'initiated', queue_id: queueId, sandbox: false });
      const id = String(answer.body?.callback_id);
      await rings(id);
      expect(await statusOf(id)).to.equal('initiated');
      expect((await member())?.state).to.equal('ringing');
      expect(await legOf(id, 'customer')).to.equal(undefined);
      await rings(id, 'customer');
      expect(await stage.read(id)).to.include({ status: 'ringing', agent: '1001', queue_id: queueId });
      expect((await member())?.state).to.equal('busy');
      await rig.untilStatus(id, 'answered');
      const [agent, customer] = [await legOf(id, 'agent'), await legOf(id, 'customer')];
      await rig.until(async () => Promise.resolve(rig.look(customer!.id)?.bridgeId === id));
      expect(rig.look(agent!.id)?.bridgeId).to.equal(id);
      const call = (await rig.calls.find(id))!;
      expect(call.answered_at).to.deep.equal(customer!.answered_at);
      expect(call.ringing_at).to.deep.equal(customer!.ringing_at);
      expect(call).to.include({ queue_id: queueId, served_queue_id: queueId, queued_seconds: 2 });
      rig.engine.remoteHangup(customer!.id);
      await rig.untilStatus(id, 'ended');
      expect(await rig.eventTypes(id)).to.deep.equal([
        'call.initiated',
        'queue.entered',
        'queue.left',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
      expect(await rig.charges(id)).to.have.length(1);
      await becomes('wrap_up');
      await becomes('idle');
    });

    it('queue like other callers: no agent is offered two callbacks', async () => {
      await openQueue(rig, { wrap_up_seconds: 0 });
      const first = await placed();
      const second = await placed();
      await rings(first);
      await rig.settle();
      expect(await rig.legs(second)).to.deep.equal([]);
      expect((await rig.queues.coordinator.view(projectId)).waiting()).to.have.length(2);
      await rig.untilStatus(first, 'answered');
      expect(await rig.legs(second)).to.deep.equal([]);
      rig.engine.remoteHangup((await legOf(first, 'agent'))!.id);
      await rig.untilStatus(first, 'ended');
      await rig.untilStatus(second, 'answered');
    });

    it('are offered to the agent again after a rejection, once the penalty is over', async () => {
      await openQueue(rig);
      rig.parties.set('agent', PARTIES.rejects);
      const id = await placed();
      await becomes('unavailable');
      expect(await statusOf(id)).to.equal('initiated');
      rig.parties.delete('agent');
      await rig.untilStatus(id, 'answered');
      const agents = (await rig.legs(id)).filter(({ role }) => role === 'agent');
      expect(agents.map(({ status }) => status)).to.deep.equal(['ended', 'answered']);
    });

    it('end as timeout if no agent answers in time', async () => {
      await openQueue(rig, { max_wait_seconds: 30 }, false);
      const id = await placed();
      await rig.untilStatus(id, 'timeout');
      expect(await stage.read(id)).to.include({
        disposition: 'queue_timeout',
        answered_at: null,
        duration_seconds: null,
      });
      expect(await rig.eventTypes(id)).to.deep.equal(['call.initiated', 'queue.entered', 'queue.left', 'call.timeout']);
      expect((await rig.calls.find(id))?.queued_seconds).to.equal(30);
    });

    it('end as timeout when the phone of the only agent cannot be rung', async () => {
      await openQueue(rig);
      rig.engine.setRegistered(`a${projectId}`, false);
      const id = await placed();
      await rig.untilStatus(id, 'timeout');
      const agents = (await rig.legs(id)).filter(({ role }) => role === 'agent');
      expect(agents.length).to.be.greaterThan(1);
      expect(agents.every(({ status }) => status === 'ended')).to.equal(true);
      expect((await rig.queues.coordinator.view(projectId)).waiting()).to.deep.equal([]);
    });

    it('end as timeout immediately if the queue is full, and fail if it was removed', async () => {
      const queueId = await openQueue(rig, { max_length: 1 }, false);
      const first = await placed();
      const second = await placed();
      await rig.untilStatus(second, 'timeout');
      await rig.queues.queues.remove(projectId, queueId);
      await rig.untilStatus(first, 'failed');
    });

    describe('that no agent takes', () => {
      const ended = async (callId: string): Promise<readonly string[]> => {
        await rig.until(async () => ['ended', 'missed', 'timeout'].includes(await statusOf(callId)));
        await rig.settle();
        return rig.eventTypes(callId);
      };
      async function intoFlow(): Promise<string> {
        const { organizationId } = rig.ground;
        const nodes = {
          say: { type: 'say', text: 'Nobody is there', language: 'en', next: 'end' },
          end: { type: 'hangup' },
        };
        const flowId = await activeFlow(
          rig.db,
          { organizationId, projectId },
          graphDefinition.parse({ start: 'say', nodes }),
        );
        await openQueue(rig, { max_wait_seconds: 30, overflow: { type: 'callflow', target: flowId } }, false);
        return placed();
      }

      it('ring the customer for the overflow of the queue', async () => {
        const id = await intoFlow();
        expect(await ended(id)).to.deep.equal([
          'call.initiated',
          'queue.entered',
          'queue.left',
          'call.ringing',
          'call.answered',
          'call.ended',
        ]);
        expect(await stage.read(id)).to.include({ status: 'ended', disposition: 'answered' });
        expect((await rig.calls.find(id))?.queued_seconds).to.equal(30);
        expect((await rig.legs(id)).map(({ role }) => role)).to.deep.equal(['customer']);
      });

      it('are missed when the customer does not answer the overflow', async () => {
        rig.parties.set(CUSTOMER, PARTIES.busy);
        const id = await intoFlow();
        expect((await ended(id)).at(-1)).to.equal('call.missed');
        expect(await stage.read(id)).to.include({ disposition: 'busy' });
      });

      it('wait for an agent of the queue into which theirs overflows', async () => {
        const second = await openQueue(rig, { name: 'second', dial_code: null });
        await openQueue(rig, { max_wait_seconds: 30, overflow: { type: 'queue', target: second } }, false);
        const id = await placed();
        await rig.untilStatus(id, 'answered');
        expect(await stage.read(id)).to.include({ agent: '1001' });
        expect((await rig.calls.find(id))?.served_queue_id).to.equal(second);
        expect((await rig.legs(id)).map(({ role }) => role)).to.deep.equal(['agent', 'customer']);
      });

      it('end as timeout when full queues overflow into each other', async () => {
        const first = await openQueue(rig, { max_length: 1, max_wait_seconds: 600 }, false);
        const overflow = { type: 'queue', target: first } as const;
        const settings = { name: 'second', dial_code: null, max_length: 1, max_wait_seconds: 600, overflow };
        const second = await openQueue(rig, settings, false);
        await rig.queues.queues.change(projectId, first, { overflow: { type: 'queue', target: second } });
        // The owner takes up calls that are placed at the same time in any order.
        const waiting = async (): Promise<string> => {
          const id = await placed();
          await rig.until(async () => (await rig.eventTypes(id)).includes('queue.entered'));
          return id;
        };
        const ids = [await waiting(), await waiting(), await placed()];
        await rig.untilStatus(ids[2]!, 'timeout');
        expect((await rig.calls.find(ids[1]!))?.served_queue_id).to.equal(second);
      });
    });

    it('are missed when the customer is busy: the agent is hung up', async () => {
      await openQueue(rig);
      rig.parties.set(CUSTOMER, PARTIES.busy);
      const id = await placed();
      await rig.untilStatus(id, 'missed');
      expect(await stage.read(id)).to.include({ disposition: 'busy' });
      await becomes('wrap_up');
      expect(await legOf(id, 'agent')).to.include({ status: 'ended' });
    });

    it('are missed when the agent hangs up while the customer rings', async () => {
      await openQueue(rig);
      rig.parties.set(CUSTOMER, PARTIES.ringsForEver);
      const id = await placed();
      await rings(id, 'customer');
      rig.engine.remoteHangup((await legOf(id, 'agent'))!.id);
      await rig.untilStatus(id, 'missed');
      expect(await legOf(id, 'customer')).to.include({ status: 'ended' });
    });

    it('are missed when the customer cannot be rung: the agent is hung up', async () => {
      await openQueue(rig);
      const id = await placed({ from_queue: 'sales', to: rig.agentNumber });
      await rings(id);
      rig.engine.setRegistered(`a${projectId}`, false);
      await rig.untilStatus(id, 'missed');
      expect(await stage.read(id)).to.include({ disposition: 'no_answer', agent: '1001', ringing_at: null });
      await becomes('wrap_up');
    });

    it('are cancelled while the agent rings, who is immediately available again', async () => {
      await openQueue(rig);
      const id = await placed();
      await rings(id);
      expect(outcome(await stage.cancel(rig, id))).to.equal('200 cancelled');
      await rig.settle();
      expect((await member())?.state).to.equal('idle');
      expect((await rig.queues.coordinator.view(projectId)).waiting()).to.deep.equal([]);
      expect(await rig.eventTypes(id)).to.deep.equal([
        'call.initiated',
        'queue.entered',
        'queue.left',
        'call.cancelled',
      ]);
      expect(outcome(await stage.delete(id))).to.equal('409 CALLBACK_ALREADY_CANCELLED');
    });

    it('are cancelled while no phone rings, and while the customer rings', async () => {
      await openQueue(rig, { wrap_up_seconds: 0 }, false);
      const waits = await placed();
      await rig.settle();
      expect(outcome(await stage.cancel(rig, waits))).to.equal('200 cancelled');
      await rig.settle();
      expect((await rig.queues.coordinator.view(projectId)).waiting()).to.deep.equal([]);
      await rig.queues.signIn.login(projectId, '1001', 'sales');
      rig.parties.set(CUSTOMER, PARTIES.ringsForEver);
      const id = await placed();
      await rings(id, 'customer');
      expect(outcome(await stage.cancel(rig, id))).to.equal('200 cancelled');
      await rig.until(async () => (await legOf(id, 'agent'))?.status === 'ended');
      await becomes('idle');
    });

    it('announce the recording to the customer first, if the queue records', async () => {
      await openQueue(rig, { record: true });
      const id = await placed();
      await rig.untilStatus(id, 'answered');
      // The simulator has no audio: the call continues, and notes why it is not recorded.
      const notes = await rig.db.query<{ type: string }>(`SELECT type FROM call_timeline WHERE call_id = $1`, [id]);
      expect(notes.map(({ type }) => type)).to.include('recording.refused');
      await rig.until(async () => Promise.resolve(rig.look((await legOf(id, 'customer'))!.id)?.bridgeId === id));
    });
  });

  describe('agent first, when another process takes over', () => {
    it('keep waiting, and are answered', async () => {
      await openQueue(rig, {}, false);
      const id = await placed();
      await rig.settle();
      await rig.restart();
      expect((await rig.queues.coordinator.view(projectId)).waiting()).to.have.length(1);
      await rig.queues.signIn.login(projectId, '1001', 'sales');
      await rig.untilStatus(id, 'answered');
    });

    it('keep ringing the same phone, once', async () => {
      await openQueue(rig);
      const id = await placed();
      await rings(id);
      await rig.restart();
      await rig.untilStatus(id, 'answered');
      expect((await rig.legs(id)).map(({ role }) => role)).to.deep.equal(['agent', 'customer']);
    });

    it('keep ringing the customer, once, with new ringback for the agent', async () => {
      await openQueue(rig);
      const id = await placed();
      await rings(id, 'customer');
      await rig.restart();
      await rig.untilStatus(id, 'answered');
      await rig.until(async () => Promise.resolve(rig.look((await legOf(id, 'agent'))!.id)?.bridgeId === id));
      expect((await rig.legs(id)).map(({ role }) => role)).to.deep.equal(['agent', 'customer']);
      rig.engine.remoteHangup((await legOf(id, 'agent'))!.id);
      await rig.untilStatus(id, 'ended');
    });

    it('ring the customer after an agent’s answer was missed', async () => {
      await openQueue(rig);
      rig.parties.set('agent', PARTIES.ringsForEver);
      const id = await placed();
      await rings(id);
      await rig.controller.stop();
      const lost = rig.controller;
      rig.controller = { handle: () => undefined, idle: () => Promise.resolve() } as unknown as typeof lost;
      rig.engine.remoteAnswer((await legOf(id, 'agent'))!.id);
      await rig.clock.advance(100);
      rig.controller = lost;
      await rig.restart();
      await rig.untilStatus(id, 'answered');
      expect((await rig.legs(id)).map(({ role }) => role)).to.deep.equal(['agent', 'customer']);
    });
  });
});
