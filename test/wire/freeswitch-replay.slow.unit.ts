import { expect } from 'chai';
import { FreeswitchEngine } from '../../engine/freeswitch/freeswitch-engine.js';
import { kindOf } from '../conformance/rigs/stage.js';
import { eventsOf, traceOf } from '../conformance/rigs/trace.js';
import { quiet } from '../support/logger.js';
import type { EslSaid } from './esl-lines.js';
import { EslPeer } from './esl-peer.js';
import { EXPECTED } from './expected.js';
import { PLAYED, replayConformance, replayStage } from './replay-suite.js';
import { answered, SCENARIOS } from './scenarios.js';

const isEvent =
  (name: string) =>
  ({ body }: EslSaid): boolean =>
    body.includes(`"Event-Name":"${name}"`);

describe('FreeSWITCH adapter, replaying transcripts', () => {
  const replay = replayStage<EslSaid, EslPeer>({
    name: 'freeswitch',
    startPeer: (transcript, options) => EslPeer.start(transcript, options),
    makeEngine: (port, world, pace) =>
      new FreeswitchEngine({
        ...{ host: '127.0.0.1', port, password: 'a-password-of-the-tests' },
        ...{ recordingDir: world.recorded!, logger: quiet, maxBackoffMs: 100 },
        ...pace,
      }),
  });

  replayConformance('freeswitch', replay, {
    isEvent: ({ head }) => head.includes('event-json'),
    isPlayed: isEvent('CHANNEL_EXECUTE_COMPLETE'),
    isEnd: isEvent('CHANNEL_HANGUP_COMPLETE'),
    swapped: [PLAYED, 'a callee is busy'],
    dial: /^bgapi originate/,
  });

  it('works without the end of the job', async () => {
    const stage = await replay(PLAYED, { keeps: (said) => !isEvent('BACKGROUND_JOB')(said) });
    expect(await SCENARIOS[PLAYED]!(stage)).to.deep.equal(EXPECTED[PLAYED]);
  });

  it('reports `indeterminate` for an originate without any response, and its later events', async () => {
    const silent = (said: EslSaid): boolean => isEvent('CHANNEL_ORIGINATE')(said) || isEvent('BACKGROUND_JOB')(said);
    const stage = await replay(PLAYED, { keeps: (said) => !silent(said) }, { timeoutMs: 200 });
    expect(await kindOf(answered(stage))).to.equal('indeterminate');
    const { legId } = await stage.heard.untilType('leg.answered');
    expect(eventsOf(stage.heard.events, legId).map(({ type }) => type)).to.include('leg.answered');
  });

  it('rejects a refused originate without any event', async () => {
    const refusal = 'Content-Type: command/reply\nReply-Text: -ERR not today';
    const stage = await replay(PLAYED, {
      answers: (command) => (command.startsWith('bgapi') ? { from: 'freeswitch', head: refusal, body: '' } : undefined),
      keeps: ({ head }) => !head.includes('event-json'),
    });
    expect(await kindOf(answered(stage))).to.equal('rejected');
    expect(stage.heard.events.map(({ type }) => type)).to.deep.equal(['engine.connected']);
  });

  it('gives each command its own reply, also around a refused one', async () => {
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

  it('survives a name that is not UTF-8, and an invalid message', async () => {
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
});
