import { expect } from 'chai';
import { PARTIES } from '../../../engine/simulator/party.js';
import type { CallControllerRig } from '../../support/stages/call-controller.js';
import { TARGET, transferEach, type TransferStage } from '../../support/stages/transfer-stage.js';

describe('transferring calls', function () {
  this.timeout(60_000);
  let stage: TransferStage;
  let rig: CallControllerRig;
  transferEach((...made) => ([stage, rig] = made));

  describe('across a crash of the application', () => {
    for (const status of ['initiated', 'ringing', 'consulting'] as const) {
      it(`continues from ${status}`, async () => {
        const { callId, customer } = await stage.talking();
        const started = await stage.transfer(callId, 'attended');
        await stage.until(callId, status);
        await rig.restart();
        expect(rig.look(customer)).to.include({ held: true });
        await stage.until(callId, 'consulting');
        await stage.finish(started, 'complete');
        expect(await stage.together(callId)).to.have.members([customer, await stage.target(callId)]);
        await rig.restart();
        rig.engine.remoteHangup(await stage.target(callId));
        await rig.untilStatus(callId, 'ended');
      });
    }

    it('catches up with missed events', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      rig.engine.disconnect('the process is away');
      rig.engine.remoteHangup(agent);
      rig.engine.reconnect();
      await rig.restart();
      await stage.until(callId, 'completed');
      expect(await stage.together(callId)).to.have.members([customer, await stage.target(callId)]);
    });

    it('ends for all if the customer left meanwhile', async () => {
      const { callId, customer, agent } = await stage.talking();
      await stage.transfer(callId, 'attended');
      await stage.until(callId, 'consulting');
      const third = await stage.target(callId);
      rig.engine.disconnect('the process is away');
      rig.engine.remoteHangup(customer);
      rig.engine.reconnect();
      await rig.restart();
      await rig.untilStatus(callId, 'ended');
      await rig.settle();
      expect([agent, third].map((id) => rig.look(id))).to.deep.equal([null, null]);
    });

    for (const [type, party, ends] of [
      ['blind', 'answers', 'completed'],
      ['blind', 'busy', 'failed'],
      ['attended', 'answers', 'completed'],
    ] as const) {
      it(`never leaves the customer alone, whichever command came last: ${type}, target ${party}`, async () => {
        for (let commands = 0; ; commands += 1) {
          rig.parties.set(TARGET, PARTIES[party]);
          const { callId, customer, agent } = await stage.talking();
          const process = stage.cutAfter(commands);
          await stage.transfer(callId, type);
          const isDone = async (): Promise<boolean> => (await stage.newest(callId))?.ended_at !== null;
          const isConsulting = async (): Promise<boolean> => (await stage.newest(callId))?.status === 'consulting';
          await rig.until(async () => process.cut || (await isDone()) || (await isConsulting()));
          if (!process.cut && (await isConsulting())) {
            rig.engine.remoteHangup(agent);
            await rig.until(async () => process.cut || (await isDone()));
          }
          process.restore();
          await rig.restart();
          if (type === 'attended') {
            await rig.until(async () => (await isConsulting()) || (await isDone()));
            if (await isConsulting()) rig.engine.remoteHangup(agent);
          }
          await rig.until(isDone);
          await rig.settle();
          const { status } = (await stage.newest(callId))!;
          // A transfer whose target could no longer be rung has failed.
          expect(status, `after ${commands} commands`).to.be.oneOf([ends, 'failed']);
          if (status === 'completed') {
            expect(await stage.together(callId), `after ${commands}`).to.have.members([
              customer,
              await stage.target(callId),
            ]);
          } else {
            expect(await stage.together(callId), `after ${commands}`).to.have.members([customer, agent]);
          }
          if (rig.look(customer)) await stage.post(callId, 'hangup');
          await rig.untilStatus(callId, 'ended');
          if (!process.cut) {
            expect(status).to.equal(ends);
            expect(commands).to.be.above(3);
            return;
          }
        }
      });
    }
  });
});
