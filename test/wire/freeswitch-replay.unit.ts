import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import { FreeswitchEngine, type FreeswitchEngineOptions } from '../../engine/freeswitch/freeswitch-engine.js';
import { Heard } from '../conformance/heard.js';
import { eventsOf, traceOf } from '../conformance/trace.js';
import { quiet } from '../support/logger.js';
import { EslPeer, type PeerOptions } from './esl-peer.js';
import { EXPECTED } from './expected.js';
import { answered, SCENARIOS, told, type WireStage } from './scenarios.js';
import { readTranscript, type Line } from './transcript.js';
import { carrierAt, connected, kindOf } from '../conformance/stage.js';

type Message = Extract<Line, { from: 'freeswitch' }>;

const PLAYED = 'a call out is played to and ends';
const isEvent =
  (name: string) =>
  ({ body }: Message): boolean =>
    body.includes(`"Event-Name":"${name}"`);

describe('FreeSWITCH adapter, from transcripts', () => {
  const closing: (() => void | Promise<void>)[] = [];

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function replay(
    name: string,
    options: PeerOptions = {},
    over: Partial<FreeswitchEngineOptions> = {},
  ): Promise<WireStage & { readonly peer: EslPeer }> {
    const transcript = readTranscript(name.replaceAll(/\W+/g, '-'));
    const { world } = transcript;
    const peer = await EslPeer.start(transcript, options);
    const engine = new FreeswitchEngine({
      host: '127.0.0.1',
      port: peer.port,
      password: 'a-password-of-the-tests',
      recordingDir: world.recorded!,
      logger: quiet,
      maxBackoffMs: 100,
      ...over,
    });
    closing.push(
      () => engine.stop(),
      () => peer.close(),
    );
    const heard = new Heard();
    await engine.trunks.put(carrierAt(5060, { inboundAddresses: [world.trunk!] }));
    await connected({ engine, heard });
    return { engine, heard, world, peer, act: () => Promise.resolve() };
  }

  for (const [name, run] of Object.entries(SCENARIOS)) {
    it(name, async () => {
      const stage = await replay(name);
      expect(await run(stage)).to.deep.equal(EXPECTED[name]);
      expect(stage.peer.surprises).to.deep.equal([]);
    });
  }

  it('reads messages that come in pieces of seven bytes', async () => {
    expect(await SCENARIOS[PLAYED]!(await replay(PLAYED, { pieceBytes: 7 }))).to.deep.equal(EXPECTED[PLAYED]);
  });

  it('tells of an outage, connects again, and ends what is gone', async () => {
    const stage = await replay(PLAYED, { breaksAt: isEvent('CHANNEL_EXECUTE_COMPLETE') });
    const legId = await answered(stage);
    const before = stage.heard.events.length;
    const playing = {
      playbackId: newId(),
      target: { legId },
      items: [{ type: 'file', path: stage.world.prompt! }],
    } as const;
    await stage.engine.media.play(playing);
    await stage.heard.untilType('engine.unreachable', before);
    await stage.heard.untilType('engine.connected', before);
    await told(stage, 'leg.ended', legId);
    expect(traceOf(stage.heard.events, legId).slice(2)).to.deep.equal(['play A started', 'play A stopped', 'ended 31']);
  });

  it('does without the end of the job', async () => {
    const stage = await replay(PLAYED, { keeps: (message) => !isEvent('BACKGROUND_JOB')(message) });
    expect(await SCENARIOS[PLAYED]!(stage)).to.deep.equal(EXPECTED[PLAYED]);
  });

  it('does not know what became of an originate of which nothing is heard, and hears the rest', async () => {
    const silent = (message: Message): boolean =>
      isEvent('CHANNEL_CREATE')(message) || isEvent('BACKGROUND_JOB')(message);
    const stage = await replay(PLAYED, { keeps: (message) => !silent(message) }, { timeoutMs: 200 });
    expect(await kindOf(answered(stage))).to.equal('indeterminate');
    const { legId } = await stage.heard.untilType('leg.answered');
    expect(eventsOf(stage.heard.events, legId).map(({ type }) => type)).to.include('leg.answered');
  });

  it('takes a refused originate for refused, and tells of no leg', async () => {
    const refusal = 'Content-Type: command/reply\nReply-Text: -ERR not today';
    const stage = await replay(PLAYED, {
      answers: (command) => (command.startsWith('bgapi') ? { from: 'freeswitch', head: refusal, body: '' } : undefined),
      keeps: ({ head }) => !head.includes('event-json'),
    });
    expect(await kindOf(answered(stage))).to.equal('rejected');
    expect(stage.heard.events.map(({ type }) => type)).to.deep.equal(['engine.connected']);
  });

  it('gives each command its own reply, one that is refused in between too', async () => {
    const stage = await replay(PLAYED);
    const legId = await answered(stage);
    const unknown = '01a1ffe3-4598-774b-842d-ca5401192b78';
    const outcomes = await Promise.all([
      kindOf(stage.engine.legs.mute(unknown)),
      kindOf(stage.engine.registrations.registered()),
      kindOf(stage.engine.legs.unmute(unknown)),
      kindOf(stage.engine.legs.answer(unknown)),
    ]);
    expect(outcomes).to.deep.equal(['no_such_leg', 'accepted', 'no_such_leg', 'no_such_leg']);
    expect(stage.engine.status.status).to.equal('up');
    expect(traceOf(stage.heard.events, legId)).to.deep.equal(['ringing', 'answered']);
  });

  it('survives a name that is not UTF-8, and a message that is none', async () => {
    const stage = await replay(PLAYED);
    const event = (name: Buffer): Buffer => {
      const start = Buffer.from('{"Event-Name":"DTMF","Unique-ID":"x","Caller-Caller-ID-Name":"');
      const body = Buffer.concat([start, name, Buffer.from('"}')]);
      return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\nContent-Type: text/event-json\n\n`), body]);
    };
    stage.peer.say(event(Buffer.from([0xd9, 0x25, 0xe9, 0xff])));
    expect(await kindOf(stage.engine.registrations.registered())).to.equal('accepted');
    const before = stage.heard.events.length;
    stage.peer.say('Reply-Text: 100 % wrong\nContent-Type: command/reply\n\n');
    await stage.heard.untilType('engine.unreachable', before);
    await stage.heard.untilType('engine.connected', before);
  });

  it('notices an overloaded engine that accepts connections and says nothing', async () => {
    const stage = await replay(PLAYED, {}, { pingIntervalMs: 100, timeoutMs: 300 });
    const before = stage.heard.events.length;
    stage.peer.fallSilent();
    const { reason } = await stage.heard.untilType('engine.unreachable', before);
    expect(reason).to.include('no sign of life');
  });
});
