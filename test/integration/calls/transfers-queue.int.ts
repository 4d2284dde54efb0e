import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';
import { openQueue } from '../../support/calls/open-queue.js';
import { transferEach, type Parties, type TransferStage } from '../../support/stages/transfer-stage.js';

describe('transferring calls into a queue', function () {
  this.timeout(60_000);
  let stage: TransferStage;
  let rig: CallControllerRig;
  let projectId: string;
  transferEach((...made) => {
    [stage, rig] = made;
    ({ projectId } = rig.ground);
  });

  const to = (target: string) => ({ to: { type: 'queue', target } });
  const waiting = async () => (await rig.queues.coordinator.view(projectId)).waiting();
  /** Expects that the customer waits in the queue without any other party. */
  async function isWaiting({ callId, customer, agent }: Parties): Promise<void> {
    await rig.until(async () => (await waiting()).length === 1 && rig.look(agent) === null);
    await rig.settle();
    expect(rig.look(customer)).to.include({ held: true, bridgeId: null });
    expect((await waiting())[0]).to.include({ callId });
  }

  it('queues the customer, hangs up the agent, and makes the next one the call’s agent', async () => {
    const queueId = await openQueue(rig, { wrap_up_seconds: 0 }, false);
    const parties = await stage.talking();
    const started = await stage.transfer(parties.callId, 'blind', to(queueId));
    expect(started).to.deep.include({ type: 'blind', ...to(queueId) });
    await stage.until(parties.callId, 'completed');
    await isWaiting(parties);
    const { callId, customer } = parties;
    expect(await rig.calls.find(callId)).to.include({ status: 'answered', served_queue_id: queueId, queue_id: null });
    await rig.queues.signIn.login(projectId, '1001', 'sales');
    await rig.until(async () => (await stage.together(callId)).length === 2);
    expect(await stage.roles(callId)).to.deep.equal(['customer answered', 'agent ended', 'agent answered']);
    expect(await stage.together(callId)).to.have.members([customer, await stage.target(callId)]);
    rig.engine.remoteHangup(await stage.target(callId));
    await rig.untilStatus(callId, 'ended');
    expect((await rig.eventTypes(callId)).slice(3)).to.deep.equal([
      'call.transferred',
      'queue.entered',
      'queue.left',
      'call.ended',
    ]);
    expect(await stage.noted(callId)).to.deep.equal(['control.transfer', 'transfer.completed']);
  });

  it('accepts a customer who is alone, or on hold', async () => {
    const queueId = await openQueue(rig, { max_wait_seconds: 30 }, false);
    const alone = await rig.place({ type: 'idle' });
    await rig.untilStatus(alone, 'answered');
    await stage.transfer(alone, 'blind', to(queueId));
    await rig.until(async () => (await waiting()).length === 1);
    const { callId } = await stage.talking();
    await stage.post(callId, 'hold');
    await stage.transfer(callId, 'blind', to(queueId));
    await rig.until(async () => (await waiting()).length === 2);
    expect(await rig.calls.find(callId)).to.include({ on_hold: false });
    await rig.untilStatus(alone, 'ended');
    await rig.untilStatus(callId, 'ended');
  });

  it('can be requested by the agent’s phone', async () => {
    await openQueue(rig, {}, false);
    const parties = await stage.talking();
    rig.engine.phoneTransfer(parties.agent, '501');
    await isWaiting(parties);
    expect(await stage.newest(parties.callId)).to.include({ status: 'completed', requested_by: null });
  });

  it('is refused for an attended transfer, and for a queue that the project does not have', async () => {
    const queueId = await openQueue(rig, {}, false);
    const { callId } = await stage.talking();
    for (const json of [
      { type: 'attended', ...to(queueId) },
      { type: 'blind', ...to(newId()) },
    ]) {
      const { status, body } = await stage.post(callId, 'transfer', json);
      expect([status, body?.error_code]).to.deep.equal([422, 'TRANSFER_TARGET_INVALID']);
    }
    const { status, body } = await stage.post(callId, 'transfer', { type: 'blind', ...to('sales') });
    expect([status, body?.error_code]).to.deep.equal([400, 'VALIDATION_ERROR']);
    expect(await stage.list(callId)).to.deep.equal([]);
  });

  for (let commands = 0; commands < 5; commands += 1) {
    it(`continues in another process after ${commands} commands`, async () => {
      const queueId = await openQueue(rig, {}, false);
      const parties = await stage.talking();
      const engine = stage.cutAfter(commands);
      await stage.transfer(parties.callId, 'blind', to(queueId));
      engine.restore();
      await rig.restart();
      await isWaiting(parties);
      expect(await stage.newest(parties.callId)).to.include({ status: 'completed' });
    });
  }
});
