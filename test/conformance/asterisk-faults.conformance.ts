import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { Engine } from '../../core/ports/engine.js';
import type { AriBridge } from '../../engine/asterisk/ari/ari-types.js';
import { asteriskGround, AsteriskHost } from './rigs/asterisk-host.js';
import { callTo, faultsConformance, faultsStage, untilLeg } from './suites/faults-suite.js';
import { kindOf } from './rigs/stage.js';
import { eventsOf } from './rigs/trace.js';

describe('Asterisk faults', () => {
  let host: AsteriskHost;
  const stage = faultsStage(async () => {
    host = await AsteriskHost.start({ from: 31_500, to: 31_998 });
    return asteriskGround(host);
  });

  faultsConformance(stage, {
    refusal: /refused the user name or password/,
    version: /^22\./,
    dial: /^POST \/ari\/channels\/[^ ]+\/dial/,
    keepsTrunks: true,
  });

  it('survives an Asterisk that dies or does not answer while its API description is read', async () => {
    const { engine, heard } = stage.open({ timeoutMs: 1_000 });
    stage.proxy.loseAnswerTo(/^GET \/ari\/api-docs\/channels/i);
    engine.start(heard.listener);
    await heard.untilType('engine.unreachable');
    const before = heard.events.length;
    await heard.untilType('engine.connected', before);
  });

  it('restarts a recording if a dead process had started only one of its channels', async () => {
    const first = await stage.connected();
    const { legId } = await stage.answered(first);
    const recording = { recordingId: newId(), legId, channels: 2, maxSeconds: 60 } as const;
    stage.proxy.refuse(/^POST \/ari\/bridges\/rec-[0-9a-f-]+-2\/record/);
    expect(await kindOf(first.engine.recordings.start(recording))).to.equal('rejected');
    await first.engine.stop();
    const { engine, heard } = await stage.connected();
    expect((await engine.list()).recordingIds).to.deep.equal([]);
    await engine.recordings.start(recording);
    expect((await engine.list()).recordingIds).to.deep.equal([recording.recordingId]);
    await engine.recordings.stop(recording.recordingId);
    // Until its end is reported, its channels are still being removed.
    await heard.untilType('recording.finished');
    expect(await kindOf(engine.recordings.start(recording))).to.equal('rejected');
    await engine.recordings.discard(recording.recordingId);
  });

  const bridgeId = newId();
  for (const [what, enter, leave] of [
    ['a hold', (engine, legId) => engine.legs.hold(legId), (engine, legId) => engine.legs.unhold(legId)],
    ['an echo', (engine, legId) => engine.legs.echo(legId), (engine, legId) => engine.legs.stopEcho(legId)],
    [
      'a conversation',
      async ({ bridges }, legId) => {
        await bridges.create(bridgeId);
        await bridges.add(bridgeId, legId);
      },
      ({ bridges }) => bridges.destroy(bridgeId),
    ],
  ] satisfies [
    string,
    (engine: Engine, legId: string) => Promise<void>,
    (engine: Engine, legId: string) => Promise<void>,
  ][]) {
    // Otherwise the destruction could remove the leg from its next bridge.
    it(`removes a leg from the bridge of ${what} before it destroys the bridge`, async () => {
      const opened = await stage.connected();
      const { legId } = await stage.answered(opened);
      const bridgesOf = async (): Promise<string[]> =>
        ((await host.ask('/bridges')) as AriBridge[])
          .filter(({ channels }) => channels.includes(legId))
          .map(({ id }) => id);
      await enter(opened.engine, legId);
      expect(await bridgesOf()).to.have.length(1);
      stage.proxy.refuse(/^DELETE \/ari\/bridges\//);
      expect(await kindOf(leave(opened.engine, legId))).to.equal('rejected');
      expect(await bridgesOf()).to.deep.equal([]);
    });
  }

  it('distinguishes a created leg from a dialled one that does not ring yet, and dials only once', async () => {
    const { engine, heard } = await stage.connected();
    const callee = await stage.phone({ user: 'callee', answer: 'auto' });
    const request = callTo(callee.uri);
    const endpoint = `PJSIP/hatif-direct/${callee.uri}`;
    const create = { endpoint, app: 'hatif', appArgs: 'out', channelId: request.legId };
    expect(await host.ari('POST', '/channels/create', create)).to.equal(200);
    const silent = callTo('sip:nobody@127.0.0.1:9');
    await engine.legs.originate(silent);
    const states = async () => new Map((await engine.list()).legs.map(({ legId, state }) => [legId, state]));
    expect((await states()).get(request.legId)).to.equal('created');
    expect((await states()).get(silent.legId)).to.equal('dialled');
    await engine.legs.originate(request);
    await untilLeg(heard, request.legId, 'leg.answered');
    expect((await states()).get(request.legId)).to.equal('answered');
    expect(callee.calls.size).to.equal(1);
  });

  it('does not dial if the response to the creation is lost', async () => {
    const { engine, heard } = await stage.connected();
    const callee = await stage.phone({ user: 'callee' });
    const lost = callTo(callee.uri);
    stage.proxy.loseAnswerTo(/^POST \/ari\/channels\/create/);
    expect(await kindOf(engine.legs.originate(lost))).to.equal('timeout');
    const next = callTo(callee.uri);
    await engine.legs.originate(next);
    await callee.incoming();
    expect(callee.calls.size).to.equal(1);
    expect(eventsOf(heard.events, lost.legId)).to.deep.equal([]);
    expect((await engine.list()).legs.map((leg) => leg.legId)).to.deep.equal([next.legId]);
  });

  it('backs off when another process takes over the application', async () => {
    const first = await stage.connected();
    const before = first.heard.events.length;
    const second = await stage.connected();
    const { reason } = await first.heard.untilType('engine.unreachable', before);
    expect(reason).to.include('another process took over the application');
    expect(second.engine.status.status).to.equal('up');
  });
});
