import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { Rig } from './rig.js';
import { kindOf, legTo, stage, WITHHELD } from './stage.js';
import { eventsOf } from './trace.js';

const SHORT_MS = 400;

/** What every engine must do alike, told as normalised traces. `makeRig` is called once. */
export function conformance(makeRig: () => Promise<Rig>): void {
  let rig: Rig;

  before(async () => {
    rig = await makeRig();
  });
  afterEach(async () => {
    await rig.tidy();
  });
  after(async () => {
    await rig.close();
  });

  const { trace, until, originate, answered, ended, incoming, play, finished, hangUp } = stage(() => rig);

  describe('calls out', () => {
    it('is answered and hung up by the callee', async () => {
      const { legId, callee } = await answered();
      await callee.hangUp(legId);
      expect(await ended(legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('is answered and hung up from here', async () => {
      const { legId } = await answered();
      expect(await hangUp(legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('meets a busy callee', async () => {
      const legId = await originate(await rig.refusing('busy'));
      expect(await ended(legId)).to.deep.equal(['ended 17 sip 486']);
    });

    it('meets a callee who declines', async () => {
      const legId = await originate(await rig.refusing('rejects'));
      expect(await ended(legId)).to.deep.equal(['ended 21 sip 603']);
    });

    it('meets a number that does not exist', async () => {
      const legId = await originate(await rig.refusing('unknown_number'));
      expect(await ended(legId)).to.deep.equal(['ended 1 sip 404']);
    });

    it('gives up by itself when nobody answers', async () => {
      const callee = await rig.callee();
      const legId = await originate(callee.endpoint, { ringTimeoutSeconds: 1 });
      expect(await ended(legId)).to.deep.equal(['ringing', 'ended 19']);
    });

    it('is cancelled while it rings', async () => {
      const callee = await rig.callee();
      const legId = await originate(callee.endpoint);
      await until(legId, 'leg.ringing');
      expect(await hangUp(legId)).to.deep.equal(['ringing', 'ended 16']);
    });

    it('is ended by the engine at its maximum duration', async () => {
      const { legId } = await answered({ maxDurationSeconds: 2 });
      expect(await ended(legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('refuses a target that cannot be dialled, and tells of no leg then', async () => {
      const endpoint = { type: 'softphone', aor: 'nobody-has-this-name' } as const;
      const request = legTo(endpoint, { callerId: WITHHELD, ringTimeoutSeconds: 5, maxDurationSeconds: 60 });
      expect(await kindOf(rig.engine.legs.originate(request))).to.equal('rejected');
      await answered();
      expect(eventsOf(rig.events, request.legId)).to.deep.equal([]);
    });
  });

  describe('calls in', () => {
    it('rings, is answered, and is hung up by the caller', async () => {
      const caller = await rig.callIn('9200001');
      const { legId } = await incoming('9200001');
      await rig.engine.legs.ring(legId);
      await rig.engine.legs.answer(legId);
      await until(legId, 'leg.answered');
      await rig.engine.legs.answer(legId);
      await caller.hangUp(legId);
      expect(await ended(legId)).to.deep.equal([
        `incoming 9200001 from ${caller.number} by trunk`,
        'answered',
        'ended 16',
      ]);
    });

    it('is refused as busy before the answer', async () => {
      const caller = await rig.callIn('9200002');
      const { legId } = await incoming('9200002');
      await rig.engine.legs.hangup(legId, 17);
      expect(await ended(legId)).to.deep.equal([`incoming 9200002 from ${caller.number} by trunk`, 'ended 17']);
      expect(await caller.refusal(legId)).to.match(/^486/);
    });

    it('is given up by the caller before the answer', async () => {
      const caller = await rig.callIn('9200003');
      const { legId } = await incoming('9200003');
      await rig.engine.legs.ring(legId);
      await caller.hangUp(legId);
      expect(await ended(legId)).to.deep.equal([`incoming 9200003 from ${caller.number} by trunk`, 'ended 16']);
    });
  });

  describe('playing', () => {
    it('plays to the end', async () => {
      const { legId } = await answered();
      await finished(legId, await play(legId, [{ type: 'file', path: await rig.audio(SHORT_MS) }]));
      expect(await hangUp(legId)).to.deep.equal([
        'ringing',
        'answered',
        'play A started',
        'play A completed',
        'ended 16',
      ]);
    });

    it('takes no less than the audio, times its repeats', async () => {
      const { legId } = await answered();
      const playbackId = await play(legId, [{ type: 'file', path: await rig.audio(SHORT_MS) }], 3);
      const started = await until(legId, 'play.started');
      const { at } = await finished(legId, playbackId);
      expect(at.getTime() - started.at.getTime()).to.be.at.least(3 * SHORT_MS - 150);
    });

    it('plays a list as one playback', async () => {
      const { legId } = await answered();
      const path = await rig.audio(SHORT_MS);
      const items = [
        { type: 'tone', tone: 'beep' },
        { type: 'silence', durationMs: 200 },
        { type: 'file', path },
      ] as const;
      await finished(legId, await play(legId, items, 2));
      expect((await hangUp(legId)).slice(2, -1)).to.deep.equal(['play A started', 'play A completed']);
    });

    it('stops, also a tone that never ends, and stops the finished once more without effect', async () => {
      const { legId } = await answered();
      const playbackId = await play(legId, [{ type: 'tone', tone: 'ringback' }]);
      await until(legId, 'play.started');
      await rig.engine.media.stop(playbackId);
      await finished(legId, playbackId);
      await rig.engine.media.stop(playbackId);
      expect((await hangUp(legId)).slice(2, -1)).to.deep.equal(['play A started', 'play A stopped']);
    });

    it('plays one after another what is asked for meanwhile', async () => {
      const { legId } = await answered();
      const path = await rig.audio(SHORT_MS);
      await play(legId, [{ type: 'file', path }]);
      await finished(legId, await play(legId, [{ type: 'file', path }]));
      expect((await hangUp(legId)).slice(2, -1)).to.deep.equal([
        'play A started',
        'play A completed',
        'play B started',
        'play B completed',
      ]);
    });

    it('tells of audio that is not there', async () => {
      const { legId } = await answered();
      await finished(legId, await play(legId, [{ type: 'file', path: '/nowhere/to/be/heard' }]));
      expect((await hangUp(legId)).slice(2, -1)).to.deep.equal(['play A started', 'play A failed']);
    });

    it('finishes what plays and what waits when the leg is hung up from here', async () => {
      const { legId } = await answered();
      const items = [{ type: 'tone', tone: 'busy' }] as const;
      await play(legId, items);
      await until(legId, 'play.started');
      await play(legId, items);
      const words = await hangUp(legId);
      expect(words.slice(2)).to.deep.equal(['play A started', 'play A stopped', 'play B stopped', 'ended 16']);
    });

    it('finishes what plays when the other side hangs up', async () => {
      const { legId, callee } = await answered();
      await play(legId, [{ type: 'tone', tone: 'congestion' }]);
      await until(legId, 'play.started');
      await callee.hangUp(legId);
      expect((await ended(legId)).slice(2)).to.deep.equal(['play A started', 'play A stopped', 'ended 16']);
    });

    it('refuses to play to a leg that is not there', async () => {
      expect(await kindOf(play(newId(), [{ type: 'tone', tone: 'beep' }]))).to.equal('no_such_leg');
    });
  });

  describe('digits', () => {
    it('hears each digit once', async () => {
      const { legId, callee } = await answered();
      await callee.press(legId, '12#');
      await until(legId, 'leg.dtmf', { digit: '#' });
      expect((await hangUp(legId)).slice(2)).to.deep.equal(['dtmf 1', 'dtmf 2', 'dtmf #', 'ended 16']);
    });

    it('sends digits', async () => {
      const { legId, callee } = await answered();
      await rig.engine.legs.sendDtmf(legId, '7w*');
      await callee.received(legId, '7*');
    });

    it('hears digits, # too, while the leg hears its own echo', async () => {
      const { legId, callee } = await answered();
      await rig.engine.legs.echo(legId);
      await rig.engine.legs.echo(legId);
      await callee.press(legId, '1#2');
      await until(legId, 'leg.dtmf', { digit: '2' });
      await rig.engine.legs.stopEcho(legId);
      await rig.engine.legs.stopEcho(legId);
      expect((await hangUp(legId)).slice(2)).to.deep.equal(['dtmf 1', 'dtmf #', 'dtmf 2', 'ended 16']);
    });
  });

  describe('bridges', () => {
    it('joins two legs, which end one by one', async () => {
      const [first, second] = [await answered(), await answered()];
      const bridgeId = newId();
      await rig.engine.bridges.create(bridgeId);
      await rig.engine.bridges.create(bridgeId);
      await rig.engine.bridges.add(bridgeId, first.legId);
      await rig.engine.bridges.add(bridgeId, second.legId);
      const joined = await rig.engine.list();
      expect(joined.bridgeIds).to.include(bridgeId);
      expect(placeOf(joined, first.legId)).to.deep.equal({ state: 'answered', bridgeId });
      expect(placeOf(joined, second.legId)).to.deep.equal({ state: 'answered', bridgeId });
      await first.callee.hangUp(first.legId);
      expect(await ended(first.legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
      expect(placeOf(await rig.engine.list(), second.legId)).to.deep.equal({ state: 'answered', bridgeId });
      await rig.engine.bridges.remove(bridgeId, second.legId);
      expect(placeOf(await rig.engine.list(), second.legId)).to.deep.equal({ state: 'answered', bridgeId: null });
      await rig.engine.bridges.destroy(bridgeId);
      await rig.engine.bridges.destroy(bridgeId);
      expect((await rig.engine.list()).bridgeIds).not.to.include(bridgeId);
      expect(await hangUp(second.legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('holds three legs, whatever becomes of one of them', async () => {
      const legs = [await answered(), await answered(), await answered()] as const;
      const [first, second, third] = legs;
      const bridgeId = newId();
      const { bridges, media } = rig.engine;
      const inside = async (): Promise<number[]> => {
        const snapshot = await rig.engine.list();
        return legs.flatMap(({ legId }, index) =>
          snapshot.legs.some((leg) => leg.legId === legId && leg.bridgeId === bridgeId) ? [index] : [],
        );
      };
      await bridges.create(bridgeId);
      for (const { legId } of legs) await bridges.add(bridgeId, legId);
      expect(await inside()).to.deep.equal([0, 1, 2]);
      await rig.engine.legs.mute(first.legId);
      await rig.engine.legs.hold(second.legId);
      expect(await inside()).to.deep.equal([0, 2]);
      const playbackId = newId();
      await media.play({ playbackId, target: { bridgeId }, items: [{ type: 'tone', tone: 'beep' }] });
      await finished(bridgeId, playbackId);
      await third.callee.hangUp(third.legId);
      expect(await ended(third.legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
      await rig.engine.legs.unhold(second.legId);
      await bridges.add(bridgeId, second.legId);
      await rig.engine.legs.unmute(first.legId);
      expect(await inside()).to.deep.equal([0, 1]);
      await first.callee.press(first.legId, '5');
      await until(first.legId, 'leg.dtmf');
      await bridges.destroy(bridgeId);
      expect(await hangUp(first.legId)).to.deep.equal(['ringing', 'answered', 'dtmf 5', 'ended 16']);
      expect(await hangUp(second.legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
    });

    it('takes a leg from one bridge into another', async () => {
      const { legId } = await answered();
      const [before, after] = [newId(), newId()];
      for (const bridgeId of [before, after]) {
        await rig.engine.bridges.create(bridgeId);
        await rig.engine.bridges.add(bridgeId, legId);
        expect(placeOf(await rig.engine.list(), legId)).to.deep.equal({ state: 'answered', bridgeId });
      }
      for (const bridgeId of [before, after]) await rig.engine.bridges.destroy(bridgeId);
    });

    it('stops what plays to a leg that joins', async () => {
      const { legId } = await answered();
      const bridgeId = newId();
      await rig.engine.bridges.create(bridgeId);
      await play(legId, [{ type: 'tone', tone: 'ringback' }]);
      await rig.engine.bridges.add(bridgeId, legId);
      await until(legId, 'play.finished');
      await rig.engine.bridges.destroy(bridgeId);
      expect(placeOf(await rig.engine.list(), legId)).to.deep.equal({ state: 'answered', bridgeId: null });
      expect((await hangUp(legId)).filter((word) => word.endsWith('stopped'))).to.deep.equal(['play A stopped']);
    });

    it('plays into the bridge', async () => {
      const { legId } = await answered();
      const [bridgeId, playbackId] = [newId(), newId()];
      await rig.engine.bridges.create(bridgeId);
      await rig.engine.bridges.add(bridgeId, legId);
      await rig.engine.media.play({ playbackId, target: { bridgeId }, items: [{ type: 'tone', tone: 'beep' }] });
      await finished(bridgeId, playbackId);
      expect(trace(bridgeId)).to.deep.equal(['play A started', 'play A completed']);
      await rig.engine.bridges.destroy(bridgeId);
    });

    it('parks a leg on hold and brings it back', async () => {
      const { legId } = await answered();
      const bridgeId = newId();
      await rig.engine.bridges.create(bridgeId);
      await rig.engine.bridges.add(bridgeId, legId);
      await rig.engine.legs.hold(legId);
      await rig.engine.legs.hold(legId);
      expect(placeOf(await rig.engine.list(), legId)).to.deep.equal({ state: 'answered', bridgeId: null });
      await rig.engine.legs.unhold(legId);
      await rig.engine.legs.unhold(legId);
      await rig.engine.bridges.add(bridgeId, legId);
      expect(placeOf(await rig.engine.list(), legId)).to.deep.equal({ state: 'answered', bridgeId });
      await rig.engine.bridges.destroy(bridgeId);
    });

    it('refuses legs and bridges that are not there', async () => {
      const { legId } = await answered();
      const bridgeId = newId();
      expect(await kindOf(rig.engine.bridges.add(bridgeId, legId))).to.equal('no_such_leg');
      await rig.engine.bridges.create(bridgeId);
      expect(await kindOf(rig.engine.bridges.add(bridgeId, newId()))).to.equal('no_such_leg');
      await rig.engine.bridges.destroy(bridgeId);
    });
  });

  describe('control', () => {
    it('mutes and unmutes, also twice', async () => {
      const { legId } = await answered();
      const { legs } = rig.engine;
      for (const command of ['mute', 'mute', 'unmute', 'unmute'] as const) {
        expect(await kindOf(legs[command](legId)), command).to.equal('accepted');
      }
    });

    it("tells of the phone's own hold button", async () => {
      const { legId, callee } = await answered();
      await callee.hold(legId, true);
      await until(legId, 'leg.phone_held');
      await callee.hold(legId, false);
      await until(legId, 'leg.phone_resumed');
      expect((await hangUp(legId)).slice(2)).to.deep.equal(['phone_held', 'phone_resumed', 'ended 16']);
    });

    it('does nothing on hanging up what is over, and refuses the rest', async () => {
      const { legId } = await answered();
      await hangUp(legId);
      const { legs } = rig.engine;
      expect(await kindOf(legs.hangup(legId))).to.equal('accepted');
      for (const command of ['answer', 'ring', 'mute', 'hold', 'echo'] as const) {
        expect(await kindOf(legs[command](legId)), command).to.equal('no_such_leg');
      }
      expect(trace(legId).filter((word) => word.startsWith('ended'))).to.have.length(1);
    });

    it('lists a leg from its ringing to its end', async () => {
      const callee = await rig.callee();
      const legId = await originate(callee.endpoint);
      await until(legId, 'leg.ringing');
      expect(placeOf(await rig.engine.list(), legId)).to.deep.equal({ state: 'ringing', bridgeId: null });
      await hangUp(legId);
      expect(placeOf(await rig.engine.list(), legId)).to.equal(undefined);
    });
  });

  describe('registrations', () => {
    it('tells of a softphone that registers, and rings it', async () => {
      const softphone = { aor: 'agent-1', password: newId(), displayName: 'Agent "One"', maxContacts: 1 };
      await rig.engine.registrations.put(softphone);
      const phone = await rig.register(softphone);
      await rig.told('registration.changed', { aor: softphone.aor, registered: true });
      expect([...(await rig.engine.registrations.registered())]).to.include(softphone.aor);
      const legId = await originate({ type: 'softphone', aor: softphone.aor });
      await until(legId, 'leg.ringing');
      await phone.answer(legId);
      await until(legId, 'leg.answered');
      expect(await hangUp(legId)).to.deep.equal(['ringing', 'answered', 'ended 16']);
      await rig.engine.registrations.remove(softphone.aor);
      await rig.told('registration.changed', { aor: softphone.aor, registered: false });
      expect([...(await rig.engine.registrations.registered())]).not.to.include(softphone.aor);
    });
  });
}

function placeOf({ legs }: Awaited<ReturnType<Rig['engine']['list']>>, legId: string) {
  const leg = legs.find((other) => other.legId === legId);
  return leg && { state: leg.state, bridgeId: leg.bridgeId };
}
