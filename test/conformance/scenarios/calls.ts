import { expect } from 'chai';
import type { Rig } from '../rigs/rig.js';
import { kindOf, legTo, stage, WITHHELD } from '../rigs/stage.js';
import { eventsOf } from '../rigs/trace.js';

/** Scenarios with outbound legs. */
export function callsOut(rig: () => Rig): void {
  const { until, originate, answered, ended, hangUp } = stage(rig);

  describe('outbound calls', () => {
    it('is answered and hung up by the callee', async () => {
      const { legId, callee } = await answered();
      await callee.hangUp(legId);
      expect(await ended(legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('is answered and hung up by this side', async () => {
      const { legId } = await answered();
      expect(await hangUp(legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('reaches a busy callee', async () => {
      const legId = await originate(await rig().refusing('busy'));
      expect(await ended(legId)).to.deep.equal(['ended 17 sip 486']);
    });

    it('reaches a callee who declines', async () => {
      const legId = await originate(await rig().refusing('rejects'));
      expect(await ended(legId)).to.deep.equal(['ended 21 sip 603']);
    });

    it('reaches a number that does not exist', async () => {
      const legId = await originate(await rig().refusing('unknown_number'));
      expect(await ended(legId)).to.deep.equal(['ended 1 sip 404']);
    });

    it('times out if the callee does not answer', async () => {
      const callee = await rig().callee();
      const legId = await originate(callee.endpoint, { ringTimeoutSeconds: 1 });
      expect(await ended(legId)).to.deep.equal(['ringing', 'ended 19']);
    });

    it('is cancelled while it rings', async () => {
      const callee = await rig().callee();
      const legId = await originate(callee.endpoint);
      await until(legId, 'leg.ringing');
      expect(await hangUp(legId)).to.deep.equal(['ringing', 'ended 16']);
    });

    it('is ended by the engine at the maximum duration', async () => {
      const { legId } = await answered({ maxDurationSeconds: 2 });
      expect(await ended(legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('rejects a target that cannot be dialled, without an event', async () => {
      const endpoint = { type: 'softphone', aor: 'nobody-has-this-name' } as const;
      const request = legTo(endpoint, { callerId: WITHHELD, ringTimeoutSeconds: 5, maxDurationSeconds: 60 });
      expect(await kindOf(rig().engine.legs.originate(request))).to.equal('rejected');
      await answered();
      expect(eventsOf(rig().events, request.legId)).to.deep.equal([]);
    });
  });
}

/** Scenarios with inbound legs. */
export function callsIn(rig: () => Rig): void {
  const { until, ended, incoming } = stage(rig);

  describe('inbound calls', () => {
    it('rings, is answered, and is hung up by the caller', async () => {
      const caller = await rig().callIn('9200001');
      const { legId } = await incoming('9200001');
      await rig().engine.legs.ring(legId);
      await rig().engine.legs.answer(legId);
      await until(legId, 'leg.answered');
      await rig().engine.legs.answer(legId);
      await caller.hangUp(legId);
      expect(await ended(legId)).to.deep.equal([
        `incoming 9200001 from ${caller.number} by trunk`,
        'answered',
        'ended 16',
      ]);
    });

    it('is rejected as busy before the answer', async () => {
      const caller = await rig().callIn('9200002');
      const { legId } = await incoming('9200002');
      await rig().engine.legs.hangup(legId, 17);
      expect(await ended(legId)).to.deep.equal([`incoming 9200002 from ${caller.number} by trunk`, 'ended 17']);
      expect(await caller.refusal(legId)).to.match(/^486/);
    });

    it('is rejected temporarily, so that its carrier tries another route', async () => {
      const caller = await rig().callIn('9200004');
      const { legId } = await incoming('9200004');
      await rig().engine.legs.hangup(legId, 41);
      expect(await ended(legId)).to.deep.equal([`incoming 9200004 from ${caller.number} by trunk`, 'ended 41']);
      expect(await caller.refusal(legId)).to.match(/^503/);
    });

    for (const [status, number] of [
      [603, '9200005'],
      [607, '9200006'],
    ] as const) {
      it(`is rejected with the SIP status ${status}`, async () => {
        const caller = await rig().callIn(number);
        const { legId } = await incoming(number);
        await rig().engine.legs.reject(legId, status);
        expect(await ended(legId)).to.deep.equal([`incoming ${number} from ${caller.number} by trunk`, 'ended 21']);
        expect(await caller.refusal(legId)).to.match(new RegExp(`^${status}`));
        await rig().engine.legs.reject(legId, status);
      });
    }

    it('is cancelled by the caller before the answer', async () => {
      const caller = await rig().callIn('9200003');
      const { legId } = await incoming('9200003');
      await rig().engine.legs.ring(legId);
      await caller.hangUp(legId);
      expect(await ended(legId)).to.deep.equal([`incoming 9200003 from ${caller.number} by trunk`, 'ended 16']);
    });
  });
}
