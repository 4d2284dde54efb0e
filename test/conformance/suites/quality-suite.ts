import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { MediaQuality } from '../../../core/model/call/quality.js';
import { Homer, type HepPacket } from '../../support/peers/homer.js';
import { Baresip } from '../../support/phones/index.js';
import { POOR, PoorLine } from '../../support/peers/poor-line.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { answeredAt, carrierAt, legTo } from '../rigs/stage.js';

/** Three RTCP reports of each side, one every five seconds: a phone's third may be the first to answer the engine's. */
const TALK_MS = 2 * 8_250;
/** The delay that a busy machine may cause on loopback. */
const LATE_MS = 100;

/** The Homer server for the engine. */
export interface HomerAccess {
  readonly host: string;
  readonly port: number;
  readonly captureId: number;
  readonly password: string;
}

export interface Measures {
  /** Whether the engine reports jitter below the length of a packet. */
  readonly fineJitter: boolean;
  /** Whether the engine sends a password and RTCP reports to Homer, in addition to SIP. */
  readonly fullHep: boolean;
}

const CAPTURE_ID = 4_711;
const PASSWORD = 'a-password-of-homer';

/** Checks the media quality that every engine reports, and its packets for Homer. */
export function qualityConformance(
  start: (homer: HomerAccess) => Promise<RealEngine>,
  { fineJitter, fullHep }: Measures,
): void {
  let homer: Homer;
  let ground: RealEngine;
  let phones: readonly Baresip[];
  let line: PoorLine;
  let talkedSeconds = 0;
  const quality = {} as Record<'clean' | 'poor', MediaQuality | undefined>;

  const playSilence = async (legId: string, durationMs: number): Promise<void> => {
    const playbackId = newId();
    await ground.engine.media.play({ playbackId, target: { legId }, items: [{ type: 'silence', durationMs }] });
    await ground.heard.event('play.finished', { playbackId });
  };
  const qualityAtEnd = async (legId: string): Promise<MediaQuality | undefined> =>
    (await ground.heard.event('leg.ended', { legId })).quality;
  const talk = async (uri: string): Promise<MediaQuality | undefined> => {
    const legId = await answeredAt(ground, uri);
    const answered = performance.now();
    for (let half = 0; half < 2; half += 1) await playSilence(legId, TALK_MS / 2);
    await ground.engine.legs.hangup(legId);
    talkedSeconds = (performance.now() - answered) / 1000;
    return qualityAtEnd(legId);
  };

  before(async () => {
    homer = await Homer.start();
    ground = await start({ host: '127.0.0.1', port: homer.port, captureId: CAPTURE_ID, password: PASSWORD });
    const phone = (user: string): Promise<Baresip> => Baresip.start({ user, answer: 'auto', codecs: ['PCMA'] });
    phones = await Promise.all([phone('clean'), phone('poor'), phone('caller')]);
    line = await PoorLine.start(phones[1]!.sipPort, POOR);
    const throughLine = `sip:poor@127.0.0.1:${line.sipPort}`;
    [quality.clean, quality.poor] = await Promise.all([talk(phones[0]!.uri), talk(throughLine)]);
  });
  after(async () => {
    line.close();
    await Promise.all(phones.map((phone) => phone.close()));
    await ground.stop();
    homer.close();
  });

  it('counts the packets of both directions of a clean call, and gives it a high MOS', () => {
    const { clean } = quality;
    expect(clean?.codec).to.equal('alaw');
    // Fifty per second until the end of the longer call.
    for (const packets of [clean?.packetsSent, clean?.packetsReceived])
      expect(packets).to.be.within(750, 50 * talkedSeconds + 100);
    expect(clean?.lossShare).to.be.below(0.01);
    expect(clean?.jitterMs).to.be.below(LATE_MS);
    expect(clean?.mos).to.be.above(3.8);
  });

  it('reports the loss of every tenth packet, and gives the call a low MOS', () => {
    const { poor, clean } = quality;
    // Losses after the last report are unknown.
    expect(poor?.lossShare).to.be.within(0.05, 0.11);
    expect(poor?.packetsReceived).to.be.below((clean?.packetsReceived ?? 0) * 0.95);
    expect(poor?.mos).to.be.within(1, 3);
  });

  it('reports the round trip time', () => {
    // Both engines round the times in reports to a millisecond, and a timer may fire up to a millisecond early.
    expect(quality.poor?.roundTripMs).to.be.within(38, 40 + 4 * LATE_MS);
    expect(quality.clean?.roundTripMs ?? 0).to.be.below(quality.poor?.roundTripMs ?? 0);
  });

  if (fineJitter) {
    it('reports the jitter', () => {
      expect(quality.poor?.jitterMs).to.be.within(8, 8 + LATE_MS);
    });
  }

  it('sends Homer a copy of each SIP message of a call, under its capture ID', async () => {
    const clean = `127.0.0.1:${phones[0]!.sipPort}`;
    const invite = await homer.packet('the INVITE', ({ to, payload }) => to === clean && payload.startsWith('INVITE '));
    const callId = callIdOf(invite.payload);
    for (const [what, startLine, from] of [
      ['the answer', 'SIP/2.0 200 OK', clean],
      ['the ACK', 'ACK ', ground.sipAddress],
      ['the BYE', 'BYE ', ground.sipAddress],
    ] as const) {
      const of = await homer.packet(
        what,
        ({ payload }) => payload.startsWith(startLine) && callIdOf(payload) === callId,
      );
      expect(of, what).to.include({ protocol: 'sip', from, captureId: CAPTURE_ID });
    }
    for (const { captureId, password } of homer.packets) {
      expect(captureId).to.equal(CAPTURE_ID);
      expect(password).to.equal(fullHep ? PASSWORD : null);
    }
  });

  if (fullHep) {
    it('sends Homer the RTCP reports of a call, under its Call-ID', async () => {
      const poor = await homer.packet('the INVITE', ({ payload }) => payload.startsWith('INVITE sip:poor@'));
      const ofCall = ({ protocol, correlation }: HepPacket): boolean =>
        protocol === 'rtcp' && correlation === callIdOf(poor.payload);
      const report = await homer.packet('a report with losses', (packet) => ofCall(packet) && lostIn(packet) > 0);
      expect(lostIn(report)).to.be.within(10, 70);
    });
  }

  it('reports the quality of an inbound call, whichever side ends it', async () => {
    const caller = phones[2]!;
    await ground.engine.trunks.put(carrierAt(caller.sipPort));
    for (const [by, dialled] of [
      ['caller', '+966500000001'],
      ['engine', '+966500000002'],
    ] as const) {
      const callId = await caller.dial(`sip:${dialled}@${ground.sipAddress}`);
      const { legId } = await ground.heard.event('leg.incoming', { dialled });
      await ground.engine.legs.answer(legId);
      await playSilence(legId, 400);
      await (by === 'caller' ? caller.hangup(callId) : ground.engine.legs.hangup(legId));
      const reported = await qualityAtEnd(legId);
      expect(reported, by).to.include({ codec: 'alaw', roundTripMs: null });
      expect(reported?.packetsReceived, by).to.be.above(10);
      await caller.closed(callId);
    }
  });

  it('reports no quality for a leg without audio', async () => {
    const leg = legTo({ type: 'sip', uri: 'sip:nobody@127.0.0.1:9' }, { ringTimeoutSeconds: 1 });
    await ground.engine.legs.originate(leg);
    expect(await qualityAtEnd(leg.legId)).to.equal(undefined);
  });
}

function callIdOf(message: string): string | undefined {
  return /^(?:Call-ID|i)\s*:\s*(\S+)/im.exec(message)?.[1];
}

/** Asterisk sends its reports to Homer as JSON. */
function lostIn({ payload }: HepPacket): number {
  const { report_blocks: blocks = [] } = JSON.parse(payload) as { report_blocks?: { packets_lost: number }[] };
  return Math.max(0, ...blocks.map(({ packets_lost: lost }) => lost));
}
