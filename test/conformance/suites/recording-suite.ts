import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Engine, RecordRequest } from '../../../core/ports/engine.js';
import {
  loudSeconds,
  readWav,
  rmsDb,
  slice,
  toneBegins,
  toneSeconds,
  toneShare,
  toneWav,
  type Audio,
} from '../../support/judges/audio.js';
import { Baresip } from '../../support/phones/index.js';
import { eventually } from '../../support/eventually.js';
import { groundStage } from './ground-stage.js';
import type { Heard, Of } from '../rigs/heard.js';
import type { EngineGround } from '../rigs/rig.js';
import { kindOf } from '../rigs/stage.js';

const SAID_HZ = 600;
const HEARD_HZ = 900;
/** A playback's start or end, or a move of a leg, may cost some hundredths of a second; this is the limit for all. */
const DROPPED_SECONDS = 0.6;
/** Saudi Arabia's busy tone (ITU-T E.180). */
const BUSY_HZ = 425;
const ENDLESS = [{ type: 'tone', tone: 'busy' }] as const;

/** Checks the audio of recordings, which must be the same on every engine. */
export function recordingConformance(start: () => Promise<EngineGround>): void {
  let ground: EngineGround;
  let phone: Baresip;
  /** A leg whose playbacks measure time. */
  let other: Baresip;
  let engine: Engine;
  let heard: Heard;

  const stage = groundStage({
    start,
    prepare: async (made, start) => {
      ground = made;
      phone = await start({ user: 'callee', answer: 'auto', source: { toneHz: SAID_HZ }, codecs: ['PCMA'] });
      other = await start({ user: 'other', answer: 'auto', codecs: ['PCMA'] });
      await writeFile(join(ground.folder, 'second.wav'), toneWav({ hz: HEARD_HZ, seconds: 1 }));
    },
    use: (process) => ({ engine, heard } = process),
  });
  afterEach(async () => {
    const { legs, bridgeIds } = await engine.list();
    for (const bridgeId of bridgeIds) await engine.bridges.destroy(bridgeId);
    for (const { legId } of legs) {
      await engine.legs.hangup(legId);
      await ended(legId);
    }
  });

  const ended = (legId: string): Promise<Of<'leg.ended'>> => heard.event('leg.ended', { legId });
  const finished = (recordingId: string): Promise<Of<'recording.finished'>> =>
    heard.event('recording.finished', { recordingId });
  const answered = (callee = phone): Promise<string> => stage.answered(callee);

  /** For how long anything but the tone of {@link second} was audible. */
  const musicSeconds = (audio: Audio): number => loudSeconds(audio) - toneSeconds(audio, HEARD_HZ);

  async function record(legId: string, over: Partial<RecordRequest> = {}): Promise<string> {
    const recordingId = newId();
    await engine.recordings.start({ recordingId, legId, channels: 2, maxSeconds: 60, ...over });
    return recordingId;
  }

  /** Plays a one-second tone to the leg; resolves at its end. */
  async function second(legId: string): Promise<void> {
    const playbackId = newId();
    await engine.media.play({
      playbackId,
      target: { legId },
      items: [{ type: 'file', path: join(ground.folder, 'second') }],
    });
    await heard.event('play.finished', { playbackId });
  }

  /** Plays a one-second tone into the bridge; resolves at its end. */
  async function secondTo(bridgeId: string): Promise<void> {
    const playbackId = newId();
    const items = [{ type: 'file', path: join(ground.folder, 'second') }] as const;
    await engine.media.play({ playbackId, target: { bridgeId }, items });
    await heard.event('play.finished', { playbackId });
  }

  async function collected(recordingId: string, channels: 1 | 2 = 2): Promise<Audio[]> {
    const folder = join(ground.folder, newId());
    await mkdir(folder);
    const files = await engine.recordings.collect(recordingId, channels, folder);
    expect(files).to.have.length(channels);
    return files.map((file) => readWav(file!));
  }

  async function stopped(recordingId: string): Promise<void> {
    await engine.recordings.stop(recordingId);
    await finished(recordingId);
  }

  it('separates what the phone sends from what it receives, and keeps both in sync during silence', async () => {
    const [legId, elsewhere] = [await answered(), await answered(other)];
    const recordingId = await record(legId);
    await second(legId);
    // The phone receives no audio meanwhile, so only the clock advances the recording.
    await second(elsewhere);
    await second(legId);
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    expect(Math.abs(said!.seconds - listened!.seconds), 'both start and end together').to.be.below(0.1);
    expect(said!.seconds).to.be.above(2.9);
    expect(toneSeconds(said!, SAID_HZ), 'the phone is audible throughout').to.be.above(said!.seconds - DROPPED_SECONDS);
    expect(toneSeconds(said!, HEARD_HZ)).to.equal(0);
    expect(toneSeconds(listened!, HEARD_HZ)).to.be.within(2 - DROPPED_SECONDS, 2.1);
    expect(toneSeconds(listened!, SAID_HZ)).to.equal(0);
    // More than a second has passed since the first tone, however long the stop took.
    expect(
      toneSeconds(slice(listened!, listened!.seconds - 1.6), HEARD_HZ),
      'the second tone is at the end',
    ).to.be.above(1 - DROPPED_SECONDS);
  });

  it('records a tone and what the phone sends meanwhile', async () => {
    const [legId, elsewhere] = [await answered(), await answered(other)];
    const recordingId = await record(legId);
    await engine.media.play({ playbackId: newId(), target: { legId }, items: ENDLESS });
    await second(elsewhere);
    await second(elsewhere);
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    expect(toneSeconds(said!, SAID_HZ)).to.be.above(said!.seconds - DROPPED_SECONDS);
    expect(toneSeconds(listened!, BUSY_HZ), 'the tone is on half of the time').to.be.within(0.8, 1.3);
  });

  it('records the music that a held phone hears', async () => {
    const [legId, elsewhere] = [await answered(), await answered(other)];
    const recordingId = await record(legId);
    for (const held of [1, 2]) {
      await engine.legs.hold(legId);
      // The music may have a pause just now: FreeSWITCH makes one each time it has played all files.
      const heldAt = phone.heard().seconds;
      await phone.waitToHear((audio) => musicSeconds(slice(audio, heldAt)) > 0.8);
      if (held === 2) await engine.media.play({ playbackId: newId(), target: { legId }, items: ENDLESS });
      await engine.legs.unhold(legId);
      await second(elsewhere);
      await second(legId);
    }
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    // Twice as many moves and playbacks as elsewhere.
    const audible = said!.seconds - 2 * DROPPED_SECONDS;
    expect(toneSeconds(said!, SAID_HZ), `audible for ${audible} s at least`).to.be.above(audible);
    let from = 0;
    for (const held of [1, 2]) {
      const marked = toneBegins(listened!, HEARD_HZ, from);
      expect(marked, `the tone after hold ${held}`).to.be.above(from);
      expect(musicSeconds(slice(listened!, from, marked)), `the music of hold ${held}`).to.be.above(0.4);
      expect(rmsDb(slice(listened!, marked - 0.7, marked - 0.1)), 'the music ends with the hold').to.be.below(-60);
      from = marked + 1;
    }
  });

  it('records silence while paused, and continues', async () => {
    const legId = await answered();
    const recordingId = await record(legId);
    await second(legId);
    await engine.recordings.pause(recordingId);
    await second(legId);
    await engine.recordings.resume(recordingId);
    await second(legId);
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    for (const [audio, hz] of [
      [said!, SAID_HZ],
      [listened!, HEARD_HZ],
    ] as const) {
      expect(audio.seconds).to.be.above(2.9);
      expect(rmsDb(slice(audio, 1.3, 1.8)), `${hz} Hz in the pause`).to.be.below(-60);
      expect(toneSeconds(audio, hz)).to.be.within(audio.seconds - 1.4, audio.seconds - 0.6);
    }
  });

  it('mixes both directions into one channel on request', async () => {
    const legId = await answered();
    const recordingId = await record(legId, { channels: 1 });
    await second(legId);
    await stopped(recordingId);
    const [mixed] = await collected(recordingId, 1);
    const both = slice(mixed!, 0.3, 0.8);
    expect(toneShare(both, SAID_HZ)).to.be.within(0.3, 0.7);
    expect(toneShare(both, HEARD_HZ)).to.be.within(0.3, 0.7);
  });

  it('ends with its leg, and leaves nothing in the engine', async () => {
    const legId = await answered();
    const recordingId = await record(legId);
    await second(legId);
    expect((await engine.list()).recordingIds).to.deep.equal([recordingId]);
    expect(await kindOf(engine.recordings.collect(recordingId, 2, ground.folder)), 'while it is running').to.equal(
      'rejected',
    );
    await engine.legs.hangup(legId);
    // The leg and its recording end in any order.
    await Promise.all([finished(recordingId), ended(legId)]);
    expect(await engine.list()).to.deep.include({ legs: [], bridgeIds: [], recordingIds: [] });
    await eventually(async () => (await ground.left()).length === 0, 'the helpers to end');
    expect(await engine.recordings.finished()).to.include(recordingId);
    expect((await collected(recordingId))[0]!.seconds).to.be.above(0.9);
    await engine.recordings.discard(recordingId);
    expect(await engine.recordings.finished()).not.to.include(recordingId);
    expect(await engine.recordings.collect(recordingId, 2, ground.folder)).to.deep.equal([null, null]);
    await engine.recordings.discard(recordingId);
  });

  it('ends at its maximum duration', async () => {
    const legId = await answered();
    const recordingId = await record(legId, { maxSeconds: 1 });
    await finished(recordingId);
    const [said] = await collected(recordingId);
    // Engines count in whole seconds.
    expect(said!.seconds).to.be.within(0.9, 2.1);
    expect((await engine.list()).legs).to.have.length(1);
  });

  it('continues during an outage of the application, and is resumed', async () => {
    const legId = await answered();
    const recordingId = await record(legId);
    await stage.stop();
    await stage.next();
    expect((await engine.list()).recordingIds).to.deep.equal([recordingId]);
    // Starting a running recording again has no effect.
    await engine.recordings.start({ recordingId, legId, channels: 2, maxSeconds: 60 });
    await second(legId);
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    expect(toneSeconds(said!, SAID_HZ)).to.be.above(said!.seconds - DROPPED_SECONDS);
    expect(toneSeconds(listened!, HEARD_HZ)).to.be.above(1 - DROPPED_SECONDS);
  });

  it('of a leg that ended during an outage is cleaned up at the next connection', async () => {
    const legId = await answered();
    const recordingId = await record(legId);
    await second(legId);
    await stage.stop();
    await phone.hangup();
    await phone.closed();
    await stage.next();
    // The engine ends the leg after it has answered the phone's BYE.
    const isClean = async (): Promise<boolean> => {
      const { legs, recordingIds } = await engine.list();
      return legs.length === 0 && recordingIds.length === 0;
    };
    await eventually(isClean, 'the leg and its recording to end');
    await eventually(async () => (await ground.left()).length === 0, 'the helpers to end');
    expect((await collected(recordingId))[0]!.seconds).to.be.above(0.9);
  });

  /** Two phones in a bridge that is being recorded. */
  async function recordedBridge(over: { readonly maxSeconds?: number } = {}) {
    const legs = [await answered(), await answered(other)] as const;
    const bridgeId = newId();
    await engine.bridges.create(bridgeId);
    for (const legId of legs) await engine.bridges.add(bridgeId, legId);
    const recordingId = newId();
    await engine.recordings.start({ recordingId, bridgeId, channels: 1, maxSeconds: 60, ...over });
    return { legs, bridgeId, recordingId };
  }

  it('of a bridge has all of its legs, including those that join later, and playbacks into it', async () => {
    const { legs, bridgeId, recordingId } = await recordedBridge();
    await secondTo(bridgeId);
    await engine.bridges.remove(bridgeId, legs[0]);
    const third = await Baresip.start({ user: 'third', answer: 'auto', source: { toneHz: 1_700 }, codecs: ['PCMA'] });
    try {
      const thirdId = await answered(third);
      await engine.bridges.add(bridgeId, thirdId);
      await secondTo(bridgeId);
      await stopped(recordingId);
    } finally {
      await third.close();
    }
    const [mix] = await collected(recordingId, 1);
    const audibleSeconds = (hz: number): number => {
      const tenths = Array.from({ length: Math.floor(mix!.seconds * 10) }, (_, index) => index / 10);
      return tenths.filter((at) => toneShare(slice(mix!, at, at + 0.1), hz) > 0.1).length / 10;
    };
    expect(audibleSeconds(SAID_HZ), 'the leg that left').to.be.within(0.8, mix!.seconds - 0.8);
    expect(audibleSeconds(440), 'the first leg').to.be.above(mix!.seconds - DROPPED_SECONDS);
    // One second of the playback, less the tenths in which it starts and ends.
    expect(audibleSeconds(1_700), 'the leg that joined').to.be.at.least(0.7);
    expect(audibleSeconds(HEARD_HZ), 'the playback').to.be.within(1.4, 2.3);
  });

  it('of a bridge continues while the bridge is empty, and during an outage of the application', async () => {
    const { legs, bridgeId, recordingId } = await recordedBridge();
    for (const legId of legs) await engine.bridges.remove(bridgeId, legId);
    await second(legs[0]);
    await stage.stop();
    await stage.next();
    expect((await engine.list()).recordingIds).to.deep.equal([recordingId]);
    // Starting a running recording again has no effect.
    await engine.recordings.start({ recordingId, bridgeId, channels: 1, maxSeconds: 60 });
    await second(legs[0]);
    await engine.bridges.add(bridgeId, legs[0]);
    await second(legs[1]);
    await engine.recordings.stop(recordingId);
    await finished(recordingId);
    const [mix] = await collected(recordingId, 1);
    expect(mix!.seconds).to.be.above(2.9);
    expect(toneSeconds(mix!, SAID_HZ)).to.be.within(0.8, mix!.seconds - 1.8);
  });

  it('of a bridge ends with the bridge or at its maximum duration, and leaves nothing in the engine', async () => {
    const { bridgeId, recordingId } = await recordedBridge();
    await engine.bridges.destroy(bridgeId);
    await finished(recordingId);
    expect((await engine.list()).recordingIds).to.deep.equal([]);
    const limited = await recordedBridge({ maxSeconds: 1 });
    await finished(limited.recordingId);
    await engine.bridges.destroy(limited.bridgeId);
    for (const { legId } of (await engine.list()).legs) {
      await engine.legs.hangup(legId);
      await ended(legId);
    }
    await eventually(async () => (await ground.left()).length === 0, 'the helpers to end');
    expect((await collected(limited.recordingId, 1))[0]!.seconds).to.be.within(0.9, 2.1);
    const unknown = { recordingId: newId(), bridgeId: newId(), channels: 1, maxSeconds: 60 } as const;
    expect(await kindOf(engine.recordings.start(unknown))).not.to.equal('accepted');
  });

  it('rejects unknown legs and the restart of an ended recording; stopping an ended one has no effect', async () => {
    const unknown = { recordingId: newId(), legId: newId(), channels: 2, maxSeconds: 60 } as const;
    expect(await kindOf(engine.recordings.start(unknown))).to.equal('no_such_leg');
    const legId = await answered();
    const recordingId = await record(legId);
    await second(legId);
    await stopped(recordingId);
    await engine.recordings.stop(recordingId);
    expect(await kindOf(engine.recordings.start({ ...unknown, recordingId, legId }))).to.equal('rejected');
    expect((await engine.list()).recordingIds).to.deep.equal([]);
    expect((await collected(recordingId))[0]!.seconds, 'its audio is still available').to.be.above(0.9);
  });
}
