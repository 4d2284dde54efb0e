import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Engine, RecordRequest } from '../../../core/ports/engine.js';
import { readWav, rmsDb, slice, toneSeconds, toneShare, toneWav, type Audio } from '../../support/judges/audio.js';
import { Baresip } from '../../support/phones/index.js';
import { eventually } from '../../support/eventually.js';
import { groundStage } from './ground-stage.js';
import type { Heard, Of } from '../rigs/heard.js';
import type { EngineGround } from '../rigs/rig.js';
import { kindOf } from '../rigs/stage.js';

const SAID_HZ = 600;
const HEARD_HZ = 900;
/** Where a playback begins or ends, or a leg changes its place, an engine may drop some hundredths of a second: all in all not more. */
const DROPPED_SECONDS = 0.6;
/** Saudi Arabia's (ITU-T E.180). */
const BUSY_HZ = 425;
const ENDLESS = [{ type: 'tone', tone: 'busy' }] as const;

/** What every engine must record alike, judged by its sound. */
export function recordingConformance(start: () => Promise<EngineGround>): void {
  let ground: EngineGround;
  let phone: Baresip;
  /** Whose playbacks tell the time. */
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

  const ended = (legId: string): Promise<Of<'leg.ended'>> => heard.told('leg.ended', { legId });
  const finished = (recordingId: string): Promise<Of<'recording.finished'>> =>
    heard.told('recording.finished', { recordingId });
  const answered = (callee = phone): Promise<string> => stage.answered(callee);

  async function record(legId: string, over: Partial<RecordRequest> = {}): Promise<string> {
    const recordingId = newId();
    await engine.recordings.start({ recordingId, legId, channels: 2, maxSeconds: 60, ...over });
    return recordingId;
  }

  /** The leg hears a tone for a second; resolves when it is over. */
  async function second(legId: string): Promise<void> {
    const playbackId = newId();
    await engine.media.play({
      playbackId,
      target: { legId },
      items: [{ type: 'file', path: join(ground.folder, 'second') }],
    });
    await heard.told('play.finished', { playbackId });
  }

  /** All who are in the bridge hear a tone for a second; resolves when it is over. */
  async function secondTo(bridgeId: string): Promise<void> {
    const playbackId = newId();
    const items = [{ type: 'file', path: join(ground.folder, 'second') }] as const;
    await engine.media.play({ playbackId, target: { bridgeId }, items });
    await heard.told('play.finished', { playbackId });
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

  it('keeps what the phone says and what it hears apart, and the time of both though nothing is heard in between', async () => {
    const [legId, elsewhere] = [await answered(), await answered(other)];
    const recordingId = await record(legId);
    await second(legId);
    // Nobody sends the phone anything meanwhile: nothing but the clock makes the recording go on.
    await second(elsewhere);
    await second(legId);
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    expect(Math.abs(said!.seconds - listened!.seconds), 'both end and begin together').to.be.below(0.1);
    expect(said!.seconds).to.be.above(2.9);
    expect(toneSeconds(said!, SAID_HZ), 'the phone is there all the time').to.be.above(said!.seconds - DROPPED_SECONDS);
    expect(toneSeconds(said!, HEARD_HZ)).to.equal(0);
    expect(toneSeconds(listened!, HEARD_HZ)).to.be.within(2 - DROPPED_SECONDS, 2.1);
    expect(toneSeconds(listened!, SAID_HZ)).to.equal(0);
    // The first one is over for more than a second by then, however long the stop took.
    expect(
      toneSeconds(slice(listened!, listened!.seconds - 1.6), HEARD_HZ),
      'the second tone is at the end',
    ).to.be.above(1 - DROPPED_SECONDS);
  });

  it('keeps what the phone says while it hears a tone, and the tone', async () => {
    const [legId, elsewhere] = [await answered(), await answered(other)];
    const recordingId = await record(legId);
    await engine.media.play({ playbackId: newId(), target: { legId }, items: ENDLESS });
    await second(elsewhere);
    await second(elsewhere);
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    expect(toneSeconds(said!, SAID_HZ)).to.be.above(said!.seconds - DROPPED_SECONDS);
    expect(toneSeconds(listened!, BUSY_HZ), 'it sounds half of the time').to.be.within(0.8, 1.3);
  });

  it('keeps the music that a held phone hears', async () => {
    const [legId, elsewhere] = [await answered(), await answered(other)];
    const recordingId = await record(legId);
    for (const held of [1, 2]) {
      await engine.legs.hold(legId);
      await second(elsewhere);
      if (held === 2) await engine.media.play({ playbackId: newId(), target: { legId }, items: ENDLESS });
      await engine.legs.unhold(legId);
      await second(elsewhere);
    }
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    expect(toneSeconds(said!, SAID_HZ)).to.be.above(said!.seconds - DROPPED_SECONDS);
    for (const from of [0, 2]) {
      expect(rmsDb(slice(listened!, from + 0.3, from + 0.9)), 'music').to.be.above(-50);
      expect(rmsDb(slice(listened!, from + 1.3, from + 1.9)), 'the music ends with the hold').to.be.below(-60);
    }
  });

  it('records silence while it is paused, and goes on', async () => {
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

  it('mixes both into one channel where one is asked for', async () => {
    const legId = await answered();
    const recordingId = await record(legId, { channels: 1 });
    await second(legId);
    await stopped(recordingId);
    const [mixed] = await collected(recordingId, 1);
    const both = slice(mixed!, 0.3, 0.8);
    expect(toneShare(both, SAID_HZ)).to.be.within(0.3, 0.7);
    expect(toneShare(both, HEARD_HZ)).to.be.within(0.3, 0.7);
  });

  it('ends with its leg, and leaves nothing behind in the engine', async () => {
    const legId = await answered();
    const recordingId = await record(legId);
    await second(legId);
    expect((await engine.list()).recordingIds).to.deep.equal([recordingId]);
    expect(await kindOf(engine.recordings.collect(recordingId, 2, ground.folder)), 'while it runs').to.equal(
      'rejected',
    );
    await engine.legs.hangup(legId);
    await finished(recordingId);
    expect(await engine.list()).to.deep.include({ legs: [], bridgeIds: [], recordingIds: [] });
    await eventually(async () => (await ground.left()).length === 0, 'the end of the helpers');
    expect(await engine.recordings.finished()).to.include(recordingId);
    expect((await collected(recordingId))[0]!.seconds).to.be.above(0.9);
    await engine.recordings.discard(recordingId);
    expect(await engine.recordings.finished()).not.to.include(recordingId);
    expect(await engine.recordings.collect(recordingId, 2, ground.folder)).to.deep.equal([null, null]);
    await engine.recordings.discard(recordingId);
  });

  it('ends by its limit', async () => {
    const legId = await answered();
    const recordingId = await record(legId, { maxSeconds: 1 });
    await finished(recordingId);
    const [said] = await collected(recordingId);
    // Engines count whole seconds.
    expect(said!.seconds).to.be.within(0.9, 2.1);
    expect((await engine.list()).legs).to.have.length(1);
  });

  it('goes on alone while the application is away, and is found again', async () => {
    const legId = await answered();
    const recordingId = await record(legId);
    await stage.stop();
    await stage.next();
    expect((await engine.list()).recordingIds).to.deep.equal([recordingId]);
    // A repeat of what runs changes nothing.
    await engine.recordings.start({ recordingId, legId, channels: 2, maxSeconds: 60 });
    await second(legId);
    await stopped(recordingId);
    const [said, listened] = await collected(recordingId);
    expect(toneSeconds(said!, SAID_HZ)).to.be.above(said!.seconds - DROPPED_SECONDS);
    expect(toneSeconds(listened!, HEARD_HZ)).to.be.above(1 - DROPPED_SECONDS);
  });

  it('of a leg that ended while the application was away is taken apart at the next connect', async () => {
    const legId = await answered();
    const recordingId = await record(legId);
    await second(legId);
    await stage.stop();
    await phone.hangup();
    await phone.closed();
    await stage.next();
    expect(await engine.list()).to.deep.include({ legs: [], recordingIds: [] });
    await eventually(async () => (await ground.left()).length === 0, 'the end of the helpers');
    expect((await collected(recordingId))[0]!.seconds).to.be.above(0.9);
  });

  /** Two phones in a bridge of which a recording runs. */
  async function recordedBridge(over: { readonly maxSeconds?: number } = {}) {
    const legs = [await answered(), await answered(other)] as const;
    const bridgeId = newId();
    await engine.bridges.create(bridgeId);
    for (const legId of legs) await engine.bridges.add(bridgeId, legId);
    const recordingId = newId();
    await engine.recordings.start({ recordingId, bridgeId, channels: 1, maxSeconds: 60, ...over });
    return { legs, bridgeId, recordingId };
  }

  it('of a bridge has all who are in it, also those who come later, and what is played to all', async () => {
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
    expect(audibleSeconds(SAID_HZ), 'who left').to.be.within(0.8, mix!.seconds - 0.8);
    expect(audibleSeconds(440), 'who was there all the time').to.be.above(mix!.seconds - DROPPED_SECONDS);
    // For the second that was played, less the tenths in which it began and ended.
    expect(audibleSeconds(1_700), 'who came').to.be.at.least(0.7);
    expect(audibleSeconds(HEARD_HZ), 'what all heard').to.be.within(1.4, 2.3);
  });

  it('of a bridge keeps the time while nobody is in it, and goes on alone while the application is away', async () => {
    const { legs, bridgeId, recordingId } = await recordedBridge();
    for (const legId of legs) await engine.bridges.remove(bridgeId, legId);
    await second(legs[0]);
    await stage.stop();
    await stage.next();
    expect((await engine.list()).recordingIds).to.deep.equal([recordingId]);
    // A repeat of what runs changes nothing.
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

  it('of a bridge ends with the bridge, or by its limit, and leaves nothing behind in the engine', async () => {
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
    await eventually(async () => (await ground.left()).length === 0, 'the end of the helpers');
    expect((await collected(limited.recordingId, 1))[0]!.seconds).to.be.within(0.9, 2.1);
    const unknown = { recordingId: newId(), bridgeId: newId(), channels: 1, maxSeconds: 60 } as const;
    expect(await kindOf(engine.recordings.start(unknown))).not.to.equal('accepted');
  });

  it('knows no such leg; a recording that ended cannot be begun again; what is over can be stopped, not paused', async () => {
    const unknown = { recordingId: newId(), legId: newId(), channels: 2, maxSeconds: 60 } as const;
    expect(await kindOf(engine.recordings.start(unknown))).to.equal('no_such_leg');
    const legId = await answered();
    const recordingId = await record(legId);
    await second(legId);
    await stopped(recordingId);
    await engine.recordings.stop(recordingId);
    expect(await kindOf(engine.recordings.start({ ...unknown, recordingId, legId }))).to.equal('rejected');
    expect((await engine.list()).recordingIds).to.deep.equal([]);
    expect((await collected(recordingId))[0]!.seconds, 'its audio is still there').to.be.above(0.9);
  });
}
