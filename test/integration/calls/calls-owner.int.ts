import { expect } from 'chai';
import { EngineError } from '../../../core/ports/engine.js';
import { callControllerEach, TRUNK_SOURCE } from '../../support/stages/call-controller-stage.js';
import { CUSTOMER, type CallControllerRig } from '../../support/stages/call-controller.js';

describe('controlling calls', () => {
  let rig: CallControllerRig;
  callControllerEach((made) => (rig = made));

  describe('a new owner', () => {
    it('rings a call that is placed while others are taken over', async () => {
      const list = rig.engine.list.bind(rig.engine);
      let callId = '';
      // The call is originated after the engine listed its legs and before the list is evaluated.
      rig.engine.list = async () => {
        const snapshot = await list();
        callId = await rig.place({ type: 'idle' });
        await rig.settle();
        return snapshot;
      };
      try {
        await rig.controller.adopt();
      } finally {
        rig.engine.list = list;
      }
      await rig.untilStatus(callId, 'answered');
    });

    it('takes over a call in conversation, and ends it when the customer hangs up', async () => {
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.untilBothAnswered(callId);
      await rig.restart();
      expect(rig.controller.liveCalls).to.equal(1);
      rig.engine.remoteHangup((await rig.legs(callId))[0]!.id);
      await rig.untilStatus(callId, 'ended');
      await rig.until(async () => (await rig.legs(callId)).every((leg) => leg.status === 'ended'));
      expect(await rig.eventTypes(callId)).to.deep.equal([
        'call.initiated',
        'call.ringing',
        'call.answered',
        'call.ended',
      ]);
    });

    it('ends a call normally if the other party had hung up and the customer had not been released', async () => {
      const callId = await rig.place({ type: 'connect', to: { type: 'agent', target: '1001' } });
      await rig.untilBothAnswered(callId);
      await rig.settle();
      const hangup = rig.engine.legs.hangup.bind(rig.engine.legs);
      rig.engine.legs.hangup = () => Promise.reject(new EngineError('unreachable', 'the process died here'));
      rig.engine.remoteHangup((await rig.legs(callId))[1]!.id);
      await rig.until(async () => (await rig.legs(callId))[1]?.status === 'ended');
      await rig.settle();
      rig.engine.legs.hangup = hangup;
      await rig.restart();
      const call = await rig.untilStatus(callId, 'ended');
      expect(call).to.include({ disposition: 'answered', hangup_q850: 16 });
    });

    it('reports a call that ended meanwhile, marked as recovered', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'answered');
      await rig.controller.stop();
      const deaf = rig.controller;
      rig.lease.mayCommand = false;
      deaf.handle = () => undefined;
      rig.engine.remoteHangup((await rig.legs(callId))[0]!.id);
      rig.lease.mayCommand = true;
      await rig.restart();
      const call = await rig.untilStatus(callId, 'ended');
      expect(call.ended_at).not.to.equal(null);
      const [last] = await rig.db.query<{ recovered: boolean }>(
        `SELECT recovered FROM events WHERE call_id = $1 ORDER BY sequence DESC LIMIT 1`,
        [callId],
      );
      expect(last?.recovered).to.equal(true);
    });

    it('prevents its predecessor from writing', async () => {
      const callId = await rig.place({ type: 'idle' });
      await rig.untilStatus(callId, 'ringing');
      await rig.db.query(`UPDATE engines SET epoch = 99 WHERE id = $1`, [rig.ground.engineId]);
      await rig.until(() => Promise.resolve(rig.lease.epoch === null));
      expect((await rig.calls.find(callId))?.status).to.equal('ringing');
    });

    it('hangs up a leg that belongs to no call', async () => {
      const legId = rig.engine.callIn({
        source: TRUNK_SOURCE,
        dialled: rig.line,
        callerId: { number: CUSTOMER, name: null },
      });
      await rig.settle();
      await rig.clock.advance(1_000);
      await rig.settle();
      for (const table of ['call_timeline', 'events', 'legs']) {
        await rig.db.query(`DELETE FROM ${table} WHERE call_id IN (SELECT id FROM calls WHERE engine_id = $1)`, [
          rig.ground.engineId,
        ]);
      }
      await rig.db.query(`DELETE FROM calls WHERE engine_id = $1`, [rig.ground.engineId]);
      await rig.restart();
      await rig.clock.advance(2_000);
      await rig.settle();
      expect(rig.look(legId)).to.equal(null);
    });
  });
});
