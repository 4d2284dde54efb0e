import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { MediaQuality } from '../../core/model/quality.js';
import { Baresip } from '../support/phones/index.js';
import { POOR, PoorLine } from '../support/poor-line.js';
import type { RealEngine } from './sip-rig.js';
import { answeredAt } from './stage.js';

/** Long enough for two reports, which engines and phones make every five seconds: a round trip takes one of each. */
const TALK_MS = 11_500;

/** What an engine tells of a leg's audio, on every engine alike. */
export function qualityConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  let phones: readonly [Baresip, Baresip];
  let line: PoorLine;
  const quality: Record<'clean' | 'poor', MediaQuality | undefined> = { clean: undefined, poor: undefined };

  const talk = async (uri: string): Promise<MediaQuality | undefined> => {
    const legId = await answeredAt(ground, uri);
    const playbackId = newId();
    const items = [{ type: 'silence', durationMs: TALK_MS }] as const;
    await ground.engine.media.play({ playbackId, target: { legId }, items });
    await ground.heard.told('play.finished', { playbackId });
    await ground.engine.legs.hangup(legId);
    return (await ground.heard.told('leg.ended', { legId })).quality;
  };

  before(async () => {
    ground = await start();
    const options = { answer: 'auto', codecs: ['PCMA'] } as const;
    phones = [await Baresip.start({ user: 'clean', ...options }), await Baresip.start({ user: 'poor', ...options })];
    line = await PoorLine.start(phones[1].sipPort, POOR);
    const throughLine = `sip:poor@127.0.0.1:${line.sipPort}`;
    [quality.clean, quality.poor] = await Promise.all([talk(phones[0].uri), talk(throughLine)]);
    console.log(quality);
  });
  after(async () => {
    line.close();
    await Promise.all(phones.map((phone) => phone.close()));
    await ground.stop();
  });

  it('counts the packets of a clean call, and scores it high', () => {
    expect(quality.clean).to.include({ codec: 'alaw', packetsLost: 0, lossShare: 0 });
  });
}
