import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { AsteriskEngine } from '../../engine/asterisk/asterisk-engine.js';
import { newId } from '../../core/model/ids.js';
import type { OriginateRequest } from '../../core/ports/engine.js';
import { kindOf, legTo } from '../conformance/rigs/stage.js';
import { traceOf } from '../conformance/rigs/trace.js';
import { eventually } from '../support/eventually.js';
import { quiet } from '../support/logger.js';
import { frame, type AriSaid } from './ari-lines.js';
import { AriPeer } from './ari-peer.js';
import { EXPECTED } from './expected.js';
import { PLAYED, replayConformance, replayStage } from './replay-suite.js';
import { answered, SCENARIOS, legEvent } from './scenarios.js';
import type { World } from './transcript.js';

const isEvent =
  (type: string) =>
  (said: AriSaid): boolean =>
    'event' in said && said.event.type === type;

describe('Asterisk adapter, replaying transcripts', () => {
  const replay = replayStage<AriSaid, AriPeer>({
    name: 'asterisk',
    startPeer: (transcript, options) => AriPeer.start(transcript, options),
    makeEngine: (port, world, pace) =>
      new AsteriskEngine({
        ...{ url: `http://127.0.0.1:${port}`, username: 'hatif', password: 'a-password-of-the-tests' },
        ...{ soundDir: join(dirname(world.prompt!), 'sounds'), logger: quiet, maxBackoffMs: 100 },
        ...pace,
      }),
  });

  replayConformance('asterisk', replay, {
    isEvent: (said) => 'event' in said,
    isPlayed: isEvent('PlaybackFinished'),
    isEnd: isEvent('ChannelDestroyed'),
    swapped: [PLAYED, 'a callee is busy', 'an inbound call is answered and ends'],
    dial: /^POST .*\/dial\?/,
  });

  const call = (world: World): OriginateRequest => legTo({ type: 'sip', uri: world.callee! });
  const dial = /^POST .*\/dial\?/;
  const create = /^POST \/ari\/channels\/create/;
  const play = /^POST .*\/play /;
  const refuses =
    (command: RegExp, status: number) =>
    (asked: string): AriSaid | undefined =>
      command.test(asked) ? { from: 'asterisk', request: 0, status, body: { message: 'not today' } } : undefined;

  it('reconnects when only the websocket broke, and ends missing legs', async () => {
    const stage = await replay(PLAYED);
    const legId = await answered(stage);
    const before = stage.heard.events.length;
    stage.peer.dropWebsocket();
    const { reason } = await stage.heard.untilType('engine.unreachable', before);
    expect(reason).to.include('Event websocket');
    await stage.heard.untilType('engine.connected', before);
    await legEvent(stage, 'leg.ended', legId);
    expect(traceOf(stage.heard.events, legId)).to.deep.equal(['ringing', 'answered', 'ended 31']);
  });

  for (const [what, command, kind, words] of [
    ['creation', create, 'timeout', []],
    ['dial', dial, 'indeterminate', ['ended 31']],
  ] as const) {
    it(`treats half a response to the ${what} as none`, async () => {
      const stage = await replay(PLAYED, {
        keeps: (said) => !('event' in said) || said.event.type === 'StasisStart',
        breaksAt: (_said, asked) => (command.test(asked ?? '') ? 'within' : undefined),
      });
      const leg = call(stage.world);
      const before = stage.heard.events.length;
      expect(await kindOf(stage.engine.legs.originate(leg))).to.equal(kind);
      await stage.heard.untilType('engine.connected', before);
      await eventually(
        () => Promise.resolve(traceOf(stage.heard.events, leg.legId).length === words.length),
        'its end',
      );
      expect(traceOf(stage.heard.events, leg.legId)).to.deep.equal(words);
    });
  }

  for (const [what, command, status, kind] of [
    ['make', create, 400, 'rejected'],
    ['make', create, 500, 'rejected'],
    ['make', create, 503, 'unreachable'],
    ['dial', dial, 404, 'no_such_leg'],
    ['dial', dial, 409, 'rejected'],
    ['dial', dial, 503, 'unreachable'],
  ] as const) {
    it(`emits no event of a leg that Asterisk refuses to ${what} with ${status}`, async () => {
      const stage = await replay(PLAYED, { answers: refuses(command, status) });
      expect(await kindOf(stage.engine.legs.originate(call(stage.world)))).to.equal(kind);
      expect(stage.heard.events.map(({ type }) => type)).to.deep.equal(['engine.connected']);
      expect(stage.engine.status.status).to.equal('up');
    });
  }

  for (const [status, kind] of [
    [404, 'no_such_leg'],
    [409, 'rejected'],
    [500, 'rejected'],
    [503, 'unreachable'],
  ] as const) {
    it(`registers no playback that Asterisk refuses with ${status}, and continues with the leg`, async () => {
      const isPlayback = (said: AriSaid): boolean => 'event' in said && said.event.type.startsWith('Playback');
      const stage = await replay(PLAYED, { answers: refuses(play, status), keeps: (said) => !isPlayback(said) });
      const legId = await answered(stage);
      const items = [{ type: 'file', path: stage.world.prompt! }] as const;
      const playing = { playbackId: newId(), target: { legId }, items };
      expect(await kindOf(stage.engine.media.play(playing))).to.equal(kind);
      expect(traceOf(stage.heard.events, legId)).to.deep.equal(['ringing', 'answered']);
    });
  }

  it('stops a playback that Asterisk cannot stop at first, because it has only just started', async () => {
    let refusals = 1;
    const stop = /^DELETE \/ari\/playbacks/;
    const stage = await replay(PLAYED, {
      answers: (asked) =>
        asked.startsWith('DELETE /ari/playbacks') && refusals-- > 0 ? refuses(stop, 500)(asked) : undefined,
    });
    expect(await SCENARIOS[PLAYED]!(stage)).to.deep.equal(EXPECTED[PLAYED]);
    expect(refusals).to.equal(0);
  });

  it('reconnects to an overloaded Asterisk that answered 503 at first', async () => {
    let refusals = 3;
    const stage = await replay(PLAYED, {
      answers: (asked) => (refusals-- > 0 ? refuses(/^GET \/ari\/asterisk\/info/, 503)(asked) : undefined),
    });
    const [first] = stage.heard.events;
    expect(first).to.deep.include({ type: 'engine.unreachable' });
    expect(stage.heard.events.map(({ type }) => type)).to.deep.equal(['engine.unreachable', 'engine.connected']);
    expect(await SCENARIOS[PLAYED]!(stage)).to.deep.equal(EXPECTED[PLAYED]);
  });

  it('does not dial a channel that never enters the application', async () => {
    const stage = await replay(PLAYED, { keeps: (said) => !isEvent('StasisStart')(said) }, { timeoutMs: 200 });
    expect(await kindOf(answered(stage))).to.equal('timeout');
    expect(stage.heard.events.map(({ type }) => type)).to.deep.equal(['engine.connected']);
  });

  for (const [type, scenario] of [
    ['ChannelHangupRequest', PLAYED],
    ['StasisEnd', PLAYED],
    ['Dial', PLAYED],
    ['StasisEnd', 'a callee is busy'],
    ['ChannelHangupRequest', 'a callee is busy'],
    ['ChannelHangupRequest', 'an inbound call is answered and ends'],
  ] as const) {
    it(`works without ${type}: ${scenario}`, async () => {
      const stage = await replay(scenario, { keeps: (said) => !isEvent(type)(said) });
      expect(await SCENARIOS[scenario]!(stage)).to.deep.equal(EXPECTED[scenario]);
    });
  }

  it('ignores invalid and unknown events', async () => {
    const stage = await replay(PLAYED);
    for (const words of ['{', '[1]', '"StasisStart"', 'null', '{"type":"NewInAsterisk30"}', '{"type":"StasisStart"}']) {
      stage.peer.say(frame('text', Buffer.from(words)));
    }
    expect(await SCENARIOS[PLAYED]!(stage)).to.deep.equal(EXPECTED[PLAYED]);
  });

  it('reconnects after an invalid frame', async () => {
    const stage = await replay(PLAYED);
    const before = stage.heard.events.length;
    stage.peer.say(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]));
    await stage.heard.untilType('engine.unreachable', before);
    stage.peer.dropWebsocket();
    await stage.heard.untilType('engine.connected', before);
  });
});
