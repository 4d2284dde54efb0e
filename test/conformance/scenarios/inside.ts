import { expect } from 'chai';
import type { OriginateRequest } from '../../../core/ports/engine.js';
import type { Rig } from '../rigs/rig.js';
import { stage, WITHHELD } from '../rigs/stage.js';

/** Scenarios with calls to numbers of the installation: a leg that dials, and the leg that comes in. */
export function inside(rig: () => Rig): void {
  const { trace, until, originate, ended, incoming, hangUp } = stage(rig);
  let count = 0;

  /** Calls a number inside. @returns the leg that dialled, and the one that came in */
  async function call(over: Partial<OriginateRequest> = {}) {
    const number = `+96611234${String(1000 + (count += 1))}`;
    const near = await originate({ type: 'inside', number }, over);
    const { legId: far, source, callerId } = await incoming(number);
    return { number, near, far, source, callerId };
  }
  async function answered() {
    const made = await call();
    await rig().engine.legs.answer(made.far);
    for (const legId of [made.near, made.far]) await until(legId, 'leg.answered');
    return made;
  }

  describe('calls inside', () => {
    it('come in with the dialled number and the caller id, from the leg that dialled', async () => {
      const { near, far, number, source, callerId } = await call();
      expect(source).to.deep.equal({ type: 'inside', legId: near });
      expect(callerId).to.deep.equal({ number: '+966112345678', name: 'Hatif' });
      expect(trace(far)).to.deep.equal([`incoming ${number} from +966112345678 by inside`]);
      const { legs } = await rig().engine.list();
      expect(legs.map(({ legId }) => legId)).to.have.members([near, far]);
    });

    it('show no number if it is withheld', async () => {
      expect((await call({ callerId: WITHHELD })).callerId).to.deep.equal({ number: null, name: null });
    });

    it('ring, are answered, and are hung up by the side that dialled', async () => {
      const { near, far, number } = await call();
      const { legs } = rig().engine;
      await legs.ring(far);
      await until(near, 'leg.ringing');
      await legs.answer(far);
      for (const legId of [near, far]) await until(legId, 'leg.answered');
      expect(await hangUp(near)).to.deep.equal(['ringing', 'answered', 'ended 16']);
      expect((await ended(far)).slice(1)).to.deep.equal(['answered', 'ended 16']);
      expect(trace(far)[0]).to.contain(number);
    });

    it('are hung up by the side that was called', async () => {
      const { near, far } = await answered();
      expect((await hangUp(far)).slice(1)).to.deep.equal(['answered', 'ended 16']);
      expect(await ended(near)).to.deep.equal(['answered', 'ended 16']);
    });

    for (const [what, q850] of [
      ['busy', 17],
      ['an unassigned number', 1],
      ['a refusal', 21],
      ['a full line', 42],
      ['a temporary failure', 41],
    ] as const) {
      it(`report ${what} to the side that dialled`, async () => {
        const { near, far } = await call();
        await rig().engine.legs.hangup(far, q850);
        expect(await ended(near)).to.deep.equal([`ended ${q850}`]);
        expect((await ended(far)).slice(1)).to.deep.equal([`ended ${q850}`]);
      });
    }

    it('are cancelled before the answer', async () => {
      const { near, far } = await call();
      await rig().engine.legs.ring(far);
      await until(near, 'leg.ringing');
      expect(await hangUp(near)).to.deep.equal(['ringing', 'ended 16']);
      expect((await ended(far)).slice(1)).to.deep.equal(['ended 16']);
    });

    it('end if nobody answers in time', async () => {
      const { near, far } = await call({ ringTimeoutSeconds: 3 });
      await rig().engine.legs.ring(far);
      expect(await ended(near)).to.deep.equal(['ringing', 'ended 19']);
      expect((await ended(far)).slice(1)).to.have.length(1);
    });

    it('end at the maximum duration', async () => {
      const { near, far } = await call({ maxDurationSeconds: 2 });
      await rig().engine.legs.answer(far);
      expect(await ended(near)).to.deep.equal(['answered', 'ended 16']);
      expect((await ended(far)).slice(1)).to.deep.equal(['answered', 'ended 16']);
    });

    it('pass digits in both directions', async () => {
      const { near, far } = await answered();
      await rig().engine.legs.sendDtmf(near, '12');
      await until(far, 'leg.dtmf', { digit: '2' });
      await rig().engine.legs.sendDtmf(far, '#');
      await until(near, 'leg.dtmf', { digit: '#' });
      expect((await hangUp(near)).slice(1)).to.deep.equal(['dtmf #', 'ended 16']);
      expect((await ended(far)).slice(2)).to.deep.equal(['dtmf 1', 'dtmf 2', 'ended 16']);
    });

    it('can be held, echoed, played to and bridged on either side', async () => {
      const { near, far } = await answered();
      const { legs, bridges } = rig().engine;
      const other = await answered();
      await bridges.create(other.near);
      for (const legId of [far, other.near]) {
        await legs.hold(legId);
        await legs.unhold(legId);
        await legs.echo(legId);
        await legs.stopEcho(legId);
        await bridges.add(other.near, legId);
      }
      const { legs: placed } = await rig().engine.list();
      expect(placed.find(({ legId }) => legId === far)?.bridgeId).to.equal(other.near);
      await bridges.destroy(other.near);
      expect((await hangUp(near)).slice(1)).to.deep.equal(['ended 16']);
      expect((await hangUp(other.far)).slice(2)).to.deep.equal(['ended 16']);
    });
  });
}
