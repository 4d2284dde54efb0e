import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Rig } from '../rigs/rig.js';
import { kindOf, placeOf, stage } from '../rigs/stage.js';

/** Scenarios with commands for a leg, and with actions of its phone. */
export function control(rig: () => Rig): void {
  const { trace, until, originate, answered, hangUp } = stage(rig);

  describe('control', () => {
    it('mutes and unmutes; repeats have no effect', async () => {
      const { legId } = await answered();
      const { legs } = rig().engine;
      for (const command of ['mute', 'mute', 'unmute', 'unmute'] as const) {
        expect(await kindOf(legs[command](legId)), command).to.equal('accepted');
      }
    });

    it("reports the phone's hold button", async () => {
      const { legId, callee } = await answered();
      await callee.hold(legId, true);
      await until(legId, 'leg.phone_held');
      await callee.hold(legId, false);
      await until(legId, 'leg.phone_resumed');
      expect((await hangUp(legId)).slice(2)).to.deep.equal(['phone_held', 'phone_resumed', 'ended 16']);
    });

    it('ignores a hangup of an ended leg and rejects other commands for it', async () => {
      const { legId } = await answered();
      await hangUp(legId);
      const { legs } = rig().engine;
      expect(await kindOf(legs.hangup(legId))).to.equal('accepted');
      for (const command of ['answer', 'ring', 'mute', 'hold', 'echo'] as const) {
        expect(await kindOf(legs[command](legId)), command).to.equal('no_such_leg');
      }
      expect(trace(legId).filter((word) => word.startsWith('ended'))).to.have.length(1);
    });

    it('lists a leg from ringing to its end', async () => {
      const callee = await rig().callee();
      const legId = await originate(callee.endpoint);
      await until(legId, 'leg.ringing');
      expect(placeOf(await rig().engine.list(), legId)).to.deep.equal({ state: 'ringing', bridgeId: null });
      await hangUp(legId);
      expect(placeOf(await rig().engine.list(), legId)).to.equal(undefined);
    });
  });
}

/** Scenarios with softphones. */
export function registrations(rig: () => Rig): void {
  const { until, originate, hangUp } = stage(rig);

  describe('registrations', () => {
    it('reports a softphone’s registration, and rings it', async () => {
      const softphone = { aor: 'agent-1', password: newId(), displayName: 'Agent "One"', maxContacts: 1 };
      await rig().engine.registrations.put(softphone);
      const phone = await rig().register(softphone);
      await rig().event('registration.changed', { aor: softphone.aor, registered: true });
      expect([...(await rig().engine.registrations.registered())]).to.include(softphone.aor);
      const legId = await originate({ type: 'softphone', aor: softphone.aor });
      await until(legId, 'leg.ringing');
      await phone.answer(legId);
      await until(legId, 'leg.answered');
      expect(await hangUp(legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
      await rig().engine.registrations.remove(softphone.aor);
      await rig().event('registration.changed', { aor: softphone.aor, registered: false });
      expect([...(await rig().engine.registrations.registered())]).not.to.include(softphone.aor);
    });
  });
}
