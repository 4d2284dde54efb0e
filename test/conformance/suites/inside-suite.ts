import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Engine } from '../../../core/ports/engine.js';
import { readWav, slice, toneSeconds, type Audio } from '../../support/judges/audio.js';
import type { Baresip } from '../../support/phones/index.js';
import type { Heard } from '../rigs/heard.js';
import type { EngineGround } from '../rigs/rig.js';
import { legTo, placeOf } from '../rigs/stage.js';
import { groundStage } from './ground-stage.js';

const CALLER_HZ = 600;
const CALLED_HZ = 900;
const NUMBER = '+966112345600';

/** Checks the audio of calls inside on every engine, and that they survive a change of process. */
export function insideConformance(start: () => Promise<EngineGround>): void {
  let ground: EngineGround;
  let caller: Baresip;
  let called: Baresip;
  let engine: Engine;
  let heard: Heard;

  const { answered, stop, next } = groundStage({
    start,
    prepare: async (made, phone) => {
      ground = made;
      caller = await phone({ user: 'a', answer: 'auto', source: { toneHz: CALLER_HZ }, codecs: ['PCMU'] });
      called = await phone({ user: 'b', answer: 'auto', source: { toneHz: CALLED_HZ }, codecs: ['PCMA'] });
    },
    use: (process) => ({ engine, heard } = process),
  });
  afterEach(async () => {
    const { legs, bridgeIds } = await engine.list();
    for (const bridgeId of bridgeIds) await engine.bridges.destroy(bridgeId);
    for (const { legId } of legs) await engine.legs.hangup(legId);
    for (const { legId } of legs) await heard.event('leg.ended', { legId });
  });

  async function call(): Promise<{ readonly near: string; readonly far: string }> {
    const from = heard.events.length;
    const leg = legTo({ type: 'inside', number: NUMBER });
    await engine.legs.originate(leg);
    const { legId: far } = await heard.event('leg.incoming', { dialled: NUMBER }, from);
    return { near: leg.legId, far };
  }
  async function bridge(...legIds: readonly string[]): Promise<string> {
    const bridgeId = newId();
    await engine.bridges.create(bridgeId);
    for (const legId of legIds) await engine.bridges.add(bridgeId, legId);
    return bridgeId;
  }
  /** Two phones talk through a call inside: each is in a bridge with its half. */
  async function conversation() {
    const { near, far } = await call();
    await engine.legs.answer(far);
    await heard.event('leg.answered', { legId: near });
    const atCaller = await answered(caller);
    const atCalled = await answered(called);
    const bridges = [await bridge(atCaller, near), await bridge(far, atCalled)] as const;
    return { near, far, atCaller, atCalled, bridges };
  }
  function fromNow(phone: Baresip): (audio: Audio) => Audio {
    const { seconds } = phone.heard();
    return (audio) => slice(audio, seconds);
  }
  async function talks(): Promise<void> {
    const [toCaller, toCalled] = [fromNow(caller), fromNow(called)];
    await Promise.all([
      caller.waitToHear((audio) => toneSeconds(toCaller(audio), CALLED_HZ) > 0.5),
      called.waitToHear((audio) => toneSeconds(toCalled(audio), CALLER_HZ) > 0.5),
    ]);
  }
  async function record(legId: string): Promise<string> {
    const recordingId = newId();
    await engine.recordings.start({ recordingId, legId, channels: 2, maxSeconds: 60 });
    return recordingId;
  }
  async function collected(recordingId: string): Promise<Audio[]> {
    await heard.event('recording.finished', { recordingId });
    const folder = join(ground.folder, newId());
    await mkdir(folder);
    return (await engine.recordings.collect(recordingId, 2, folder)).map((file) => readWav(file!));
  }

  it('carries audio and digits, and is recorded on both sides', async () => {
    const { near, far } = await conversation();
    const recordings = [await record(near), await record(far)] as const;
    await talks();
    await caller.sendDtmf('12#');
    await heard.event('leg.dtmf', { legId: far, digit: '#' });
    await engine.legs.hangup(far);
    await heard.event('leg.ended', { legId: near });
    for (const [index, recordingId] of recordings.entries()) {
      const [said, listened] = await collected(recordingId);
      const [saidHz, heardHz] = index === 0 ? [CALLED_HZ, CALLER_HZ] : [CALLER_HZ, CALLED_HZ];
      expect(toneSeconds(said!, saidHz), 'what the other side says').to.be.above(0.5);
      expect(toneSeconds(listened!, heardHz), 'what this side says').to.be.above(0.5);
    }
  });

  it('continues in another process, which finds both legs', async () => {
    const { near, far, bridges } = await conversation();
    await talks();
    await stop();
    await next();
    const found = await engine.list();
    expect(placeOf(found, near)).to.deep.equal({ state: 'answered', bridgeId: bridges[0] });
    expect(placeOf(found, far)).to.deep.equal({ state: 'answered', bridgeId: bridges[1] });
    await talks();
    await engine.legs.hangup(near);
    expect((await heard.event('leg.ended', { legId: far })).cause.q850).to.equal(16);
  });

  it('is announced again to another process while it is unanswered', async () => {
    const { near, far } = await call();
    await stop();
    await next();
    const again = await heard.event('leg.incoming', { dialled: NUMBER });
    expect(again).to.deep.include({ legId: far, source: { type: 'inside', legId: near } });
    expect(placeOf(await engine.list(), near)?.state).to.be.oneOf(['dialled', 'ringing']);
    await engine.legs.ring(far);
    await engine.legs.answer(far);
    for (const legId of [near, far]) await heard.event('leg.answered', { legId });
  });
}
