import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Rig } from '../rigs/rig.js';
import { kindOf, placeOf, stage } from '../rigs/stage.js';

/** Scenarios with legs in bridges. */
export function bridges(rig: () => Rig): void {
  const { trace, until, answered, ended, play, finished, hangUp } = stage(rig);

  describe('bridges', () => {
    it('connects two legs, which end separately', async () => {
      const [first, second] = [await answered(), await answered()];
      const bridgeId = newId();
      await rig().engine.bridges.create(bridgeId);
      await rig().engine.bridges.create(bridgeId);
      await rig().engine.bridges.add(bridgeId, first.legId);
      await rig().engine.bridges.add(bridgeId, second.legId);
      const joined = await rig().engine.list();
      expect(joined.bridgeIds).to.include(bridgeId);
      expect(placeOf(joined, first.legId)).to.deep.equal({ state: 'answered', bridgeId });
      expect(placeOf(joined, second.legId)).to.deep.equal({ state: 'answered', bridgeId });
      await first.callee.hangUp(first.legId);
      expect(await ended(first.legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
      expect(placeOf(await rig().engine.list(), second.legId)).to.deep.equal({ state: 'answered', bridgeId });
      await rig().engine.bridges.remove(bridgeId, second.legId);
      expect(placeOf(await rig().engine.list(), second.legId)).to.deep.equal({ state: 'answered', bridgeId: null });
      await rig().engine.bridges.destroy(bridgeId);
      await rig().engine.bridges.destroy(bridgeId);
      expect((await rig().engine.list()).bridgeIds).not.to.include(bridgeId);
      expect(await hangUp(second.legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('keeps three legs connected when one of them leaves', async () => {
      const legs = [await answered(), await answered(), await answered()] as const;
      const [first, second, third] = legs;
      const bridgeId = newId();
      const { bridges, media } = rig().engine;
      const inside = async (): Promise<number[]> => {
        const snapshot = await rig().engine.list();
        return legs.flatMap(({ legId }, index) =>
          snapshot.legs.some((leg) => leg.legId === legId && leg.bridgeId === bridgeId) ? [index] : [],
        );
      };
      await bridges.create(bridgeId);
      for (const { legId } of legs) await bridges.add(bridgeId, legId);
      expect(await inside()).to.deep.equal([0, 1, 2]);
      await rig().engine.legs.mute(first.legId);
      await rig().engine.legs.hold(second.legId);
      expect(await inside()).to.deep.equal([0, 2]);
      const playbackId = newId();
      await media.play({ playbackId, target: { bridgeId }, items: [{ type: 'tone', tone: 'beep' }] });
      await finished(bridgeId, playbackId);
      await third.callee.hangUp(third.legId);
      expect(await ended(third.legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
      await rig().engine.legs.unhold(second.legId);
      await bridges.add(bridgeId, second.legId);
      await rig().engine.legs.unmute(first.legId);
      expect(await inside()).to.deep.equal([0, 1]);
      await first.callee.press(first.legId, '5');
      await until(first.legId, 'leg.dtmf');
      await bridges.destroy(bridgeId);
      expect(await hangUp(first.legId)).to.deep.equal(['ringing', 'answered', 'dtmf 5', 'ended 16']);
      expect(await hangUp(second.legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('moves a leg from one bridge to another', async () => {
      const { legId } = await answered();
      const [before, after] = [newId(), newId()];
      for (const bridgeId of [before, after]) {
        await rig().engine.bridges.create(bridgeId);
        await rig().engine.bridges.add(bridgeId, legId);
        expect(placeOf(await rig().engine.list(), legId)).to.deep.equal({ state: 'answered', bridgeId });
      }
      for (const bridgeId of [before, after]) await rig().engine.bridges.destroy(bridgeId);
    });

    it('stops a leg’s playback when it joins a bridge', async () => {
      const { legId } = await answered();
      const bridgeId = newId();
      await rig().engine.bridges.create(bridgeId);
      await play(legId, [{ type: 'tone', tone: 'ringback' }]);
      await rig().engine.bridges.add(bridgeId, legId);
      await until(legId, 'play.finished');
      await rig().engine.bridges.destroy(bridgeId);
      expect(placeOf(await rig().engine.list(), legId)).to.deep.equal({ state: 'answered', bridgeId: null });
      expect((await hangUp(legId)).filter((word) => word.endsWith('stopped'))).to.deep.equal(['play A stopped']);
    });

    it('plays into the bridge', async () => {
      const { legId } = await answered();
      const [bridgeId, playbackId] = [newId(), newId()];
      await rig().engine.bridges.create(bridgeId);
      await rig().engine.bridges.add(bridgeId, legId);
      await rig().engine.media.play({ playbackId, target: { bridgeId }, items: [{ type: 'tone', tone: 'beep' }] });
      await finished(bridgeId, playbackId);
      expect(trace(bridgeId)).to.deep.equal(['play A started', 'play A completed']);
      await rig().engine.bridges.destroy(bridgeId);
    });

    it('puts a leg on hold and resumes it', async () => {
      const { legId } = await answered();
      const bridgeId = newId();
      await rig().engine.bridges.create(bridgeId);
      await rig().engine.bridges.add(bridgeId, legId);
      await rig().engine.legs.hold(legId);
      await rig().engine.legs.hold(legId);
      expect(placeOf(await rig().engine.list(), legId)).to.deep.equal({ state: 'answered', bridgeId: null });
      await rig().engine.legs.unhold(legId);
      await rig().engine.legs.unhold(legId);
      await rig().engine.bridges.add(bridgeId, legId);
      expect(placeOf(await rig().engine.list(), legId)).to.deep.equal({ state: 'answered', bridgeId });
      await rig().engine.bridges.destroy(bridgeId);
    });

    it('rejects unknown legs and bridges', async () => {
      const { legId } = await answered();
      const bridgeId = newId();
      expect(await kindOf(rig().engine.bridges.add(bridgeId, legId))).to.equal('no_such_leg');
      await rig().engine.bridges.create(bridgeId);
      expect(await kindOf(rig().engine.bridges.add(bridgeId, newId()))).to.equal('no_such_leg');
      await rig().engine.bridges.destroy(bridgeId);
    });
  });
}
