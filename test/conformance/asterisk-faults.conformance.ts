import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { LegEvent, OriginateRequest } from '../../core/ports/engine.js';
import type { AsteriskEngine, AsteriskEngineOptions } from '../../engine/asterisk/asterisk-engine.js';
import { Baresip } from '../support/phones/index.js';
import { AriProxy } from './ari-proxy.js';
import { AsteriskHost } from './asterisk-host.js';
import type { Heard, Of } from './heard.js';
import { kindOf } from './stage.js';
import { eventsOf, traceOf } from './trace.js';

describe('Asterisk, when things fail', () => {
  let host: AsteriskHost;
  let proxy: AriProxy;
  const engines: AsteriskEngine[] = [];
  const phones: Baresip[] = [];

  before(async () => {
    host = await AsteriskHost.start({ from: 31_500, to: 31_998 });
  });
  beforeEach(async () => {
    proxy = await AriProxy.start(host.ariUrl);
  });
  afterEach(async () => {
    proxy.mend();
    for (const engine of engines.splice(0)) {
      if (engine.status.status === 'up') {
        for (const { legId } of (await engine.list()).legs) await engine.legs.hangup(legId);
      }
      await engine.stop();
    }
    await Promise.all(phones.splice(0).map((phone) => phone.close()));
    await proxy.close();
  });
  after(async () => {
    await host.stop();
  });

  /** An engine that reaches Asterisk through the proxy, connected. */
  const connected = async (
    over: Partial<AsteriskEngineOptions> = {},
  ): Promise<{ engine: AsteriskEngine; heard: Heard }> => {
    const { engine, heard } = host.engine({ url: proxy.url, ...over });
    engines.push(engine);
    engine.start(heard.listener);
    await heard.untilType('engine.connected');
    return { engine, heard };
  };
  const phone = async (...args: Parameters<typeof Baresip.start>): Promise<Baresip> => {
    const started = await Baresip.start(...args);
    phones.push(started);
    return started;
  };
  const request = (uri: string, over: Partial<OriginateRequest> = {}): OriginateRequest => ({
    legId: newId(),
    endpoint: { type: 'sip', uri },
    callerId: { number: '+966112345678', name: 'Hatif' },
    ringTimeoutSeconds: 30,
    maxDurationSeconds: 120,
    ...over,
  });
  const untilLeg = <Type extends LegEvent['type']>(heard: Heard, legId: string, type: Type): Promise<Of<Type>> =>
    heard.told<LegEvent['type']>(type, { legId }) as Promise<Of<Type>>;
  const answered = async (engine: AsteriskEngine, heard: Heard): Promise<{ legId: string; callee: Baresip }> => {
    const callee = await phone({ user: 'callee', answer: 'auto' });
    const call = request(callee.uri);
    await engine.legs.originate(call);
    await untilLeg(heard, call.legId, 'leg.answered');
    return { legId: call.legId, callee };
  };
  it('knows a refused password for a state, told once, and stays alive', async () => {
    const { engine, heard } = host.engine({ password: 'not-the-password' });
    engines.push(engine);
    engine.start(heard.listener);
    const { reason } = await heard.untilType('engine.unreachable');
    expect(reason).to.match(/refused the user name or password/);
    expect(engine.status.status).to.equal('unreachable');
    expect(await kindOf(engine.legs.originate(request('sip:nobody@127.0.0.1')))).to.equal('unreachable');
    expect(heard.events.map((event) => event.type)).to.deep.equal(['engine.unreachable']);
  });

  it('says that nothing listens, and connects when something does', async () => {
    proxy.cut();
    const { engine, heard } = host.engine({ url: proxy.url });
    engines.push(engine);
    engine.start(heard.listener);
    await heard.untilType('engine.unreachable');
    proxy.mend();
    const { bootId, version } = await heard.untilType('engine.connected');
    expect(engine.status).to.deep.equal({ status: 'up', bootId, version });
    expect(version).to.match(/^22\./);
  });

  it('survives an Asterisk that goes away while its interface is read, and one that does not answer', async () => {
    const { engine, heard } = host.engine({ url: proxy.url, timeoutMs: 1_000 });
    engines.push(engine);
    proxy.loseAnswerTo(/^GET \/ari\/api-docs\/channels/i);
    engine.start(heard.listener);
    await heard.untilType('engine.unreachable');
    const before = heard.events.length;
    await heard.untilType('engine.connected', before);
  });

  it('goes on with its calls after the connection was cut, and tells what ended meanwhile', async () => {
    const { engine, heard } = await connected();
    const [staying, leaving] = [await answered(engine, heard), await answered(engine, heard)];
    const { bootId } = engine.status;
    const before = heard.events.length;
    proxy.cut();
    await heard.untilType('engine.unreachable', before);
    expect(await kindOf(engine.legs.mute(staying.legId))).to.equal('unreachable');
    await leaving.callee.hangup();
    await leaving.callee.closed();
    proxy.mend();
    expect((await heard.untilType('engine.connected', before)).bootId).to.equal(bootId);
    const { cause } = await untilLeg(heard, leaving.legId, 'leg.ended');
    expect(cause.q850).to.equal(31);
    expect((await engine.list()).legs.map((leg) => leg.legId)).to.deep.equal([staying.legId]);
    await staying.callee.sendDtmf('5');
    await untilLeg(heard, staying.legId, 'leg.dtmf');
    await engine.legs.hangup(staying.legId);
    await untilLeg(heard, staying.legId, 'leg.ended');
    expect(traceOf(heard.events, staying.legId).slice(-2)).to.deep.equal(['dtmf 5', 'ended 16']);
    expect(eventsOf(heard.events, leaving.legId).filter((event) => event.type === 'leg.ended')).to.have.length(1);
  });

  it('notices a connection that only went silent', async () => {
    const { heard } = await connected({ pingIntervalMs: 300, timeoutMs: 1_000 });
    const before = heard.events.length;
    proxy.freeze();
    await heard.untilType('engine.unreachable', before);
    proxy.hiccup();
    await heard.untilType('engine.connected', before);
  });

  it('hands its calls over to the next process, inbound ones under the same ids', async () => {
    const first = await connected();
    const caller = await phone({ user: '+966501112222' });
    const trunk = {
      trunkId: 'carrier',
      host: '127.0.0.1',
      port: caller.sipPort,
      transport: 'udp',
      credentials: null,
      inboundAddresses: [`127.0.0.1:${caller.sipPort}`],
    } as const;
    await first.engine.trunks.put(trunk);
    await caller.dial(`sip:9200@${host.sipAddress}`);
    const { legId } = await first.heard.untilType('leg.incoming');
    await first.engine.legs.answer(legId);
    await untilLeg(first.heard, legId, 'leg.answered');
    await first.engine.legs.echo(legId);
    const bridgeId = newId();
    await first.engine.bridges.create(bridgeId);
    await first.engine.stop();

    const second = await connected();
    const { legs, bridgeIds } = await second.engine.list();
    expect(legs.map((leg) => ({ legId: leg.legId, state: leg.state }))).to.deep.equal([{ legId, state: 'answered' }]);
    expect(bridgeIds).to.deep.equal([bridgeId]);
    await second.engine.bridges.destroy(bridgeId);
    expect((await second.engine.list()).bridgeIds).to.deep.equal([]);
    await caller.sendDtmf('1');
    await untilLeg(second.heard, legId, 'leg.dtmf');
    await second.engine.legs.stopEcho(legId);
    await second.engine.legs.hangup(legId);
    await untilLeg(second.heard, legId, 'leg.ended');
    expect(traceOf(second.heard.events, legId)).to.deep.equal(['dtmf 1', 'ended 16']);
  });

  it('begins a recording anew of which a process that died had begun one channel only', async () => {
    const first = await connected();
    const { legId } = await answered(first.engine, first.heard);
    const recording = { recordingId: newId(), legId, channels: 2, maxSeconds: 60 } as const;
    proxy.refuse(/^POST \/ari\/bridges\/rec-[0-9a-f-]+-2\/record/);
    expect(await kindOf(first.engine.recordings.start(recording))).to.equal('rejected');
    await first.engine.stop();
    const { engine } = await connected();
    expect((await engine.list()).recordingIds).to.deep.equal([]);
    await engine.recordings.start(recording);
    expect((await engine.list()).recordingIds).to.deep.equal([recording.recordingId]);
    await engine.recordings.stop(recording.recordingId);
    expect(await kindOf(engine.recordings.start(recording))).to.equal('rejected');
    await engine.recordings.discard(recording.recordingId);
  });

  it('knows a leg that was made and never dialled from one that nobody rings yet, and dials it once', async () => {
    const { engine, heard } = await connected();
    const callee = await phone({ user: 'callee', answer: 'auto' });
    const made = request(callee.uri);
    const endpoint = `PJSIP/hatif-direct/${callee.uri}`;
    const create = { endpoint, app: 'hatif', appArgs: 'out', channelId: made.legId };
    expect(await host.ari('POST', '/channels/create', create)).to.equal(200);
    const silent = request('sip:nobody@127.0.0.1:9');
    await engine.legs.originate(silent);
    const states = async () => new Map((await engine.list()).legs.map(({ legId, state }) => [legId, state]));
    expect((await states()).get(made.legId)).to.equal('created');
    expect((await states()).get(silent.legId)).to.equal('dialled');
    await engine.legs.originate(made);
    await untilLeg(heard, made.legId, 'leg.answered');
    expect((await states()).get(made.legId)).to.equal('answered');
    expect(callee.calls.size).to.equal(1);
  });

  it('gives a call that came in while no application was there, or just as it went, to the next', async () => {
    const first = await connected();
    const caller = await phone({ user: '+966501113333' });
    await first.engine.trunks.put({
      trunkId: 'carrier',
      host: '127.0.0.1',
      port: caller.sipPort,
      transport: 'udp',
      credentials: null,
      inboundAddresses: [`127.0.0.1:${caller.sipPort}`],
    });
    await first.engine.stop();
    await caller.dial(`sip:9201@${host.sipAddress}`);
    const second = await connected();
    const { legId, dialled, callerId } = await second.heard.untilType('leg.incoming');
    expect({ dialled, callerId }).to.deep.equal({ dialled: '9201', callerId: { number: '+966501113333', name: null } });
    await second.engine.legs.answer(legId);
    await caller.waitFor('CALL_ESTABLISHED');
  });

  it('does not know whether a phone rings when the answer to the dial is lost, and learns it from events', async () => {
    const { engine, heard } = await connected();
    const callee = await phone({ user: 'callee' });
    const call = request(callee.uri);
    proxy.loseAnswerTo(/^POST \/ari\/channels\/[^ ]+\/dial/);
    expect(await kindOf(engine.legs.originate(call))).to.equal('indeterminate');
    await callee.incoming();
    await untilLeg(heard, call.legId, 'leg.ringing');
    await engine.legs.hangup(call.legId);
    await untilLeg(heard, call.legId, 'leg.ended');
    expect(callee.calls.size).to.equal(1);
  });

  it('rings nobody when the answer to the creation is lost', async () => {
    const { engine, heard } = await connected();
    const callee = await phone({ user: 'callee' });
    const lost = request(callee.uri);
    proxy.loseAnswerTo(/^POST \/ari\/channels\/create/);
    expect(await kindOf(engine.legs.originate(lost))).to.equal('timeout');
    const next = request(callee.uri);
    await engine.legs.originate(next);
    await callee.incoming();
    expect(callee.calls.size).to.equal(1);
    expect(eventsOf(heard.events, lost.legId)).to.deep.equal([]);
    expect((await engine.list()).legs.map((leg) => leg.legId)).to.deep.equal([next.legId]);
  });

  it('steps back when another process takes the application over', async () => {
    const first = await connected();
    const before = first.heard.events.length;
    const second = await connected();
    const { reason } = await first.heard.untilType('engine.unreachable', before);
    expect(reason).to.include('another process took the application over');
    expect(second.engine.status.status).to.equal('up');
  });

  it('shows the caller id in From, and nothing of it when it is withheld', async () => {
    const { engine, heard } = await connected();
    const callee = await phone({ user: 'callee', trace: true });
    const shown = request(callee.uri, { callerId: { number: '+966112345678', name: 'Nahda "Shop" <1>' } });
    await engine.legs.originate(shown);
    await callee.incoming();
    await engine.legs.hangup(shown.legId);
    await untilLeg(heard, shown.legId, 'leg.ended');
    const withheld = request(callee.uri, { callerId: { number: null, name: 'Nobody' } });
    await engine.legs.originate(withheld);
    await callee.incoming();
    const from = [...callee.log().matchAll(/^From: (.*);tag=/gm)].map((match) => match[1]);
    expect(new Set(from)).to.deep.equal(
      new Set(['"Nahda  Shop   1" <sip:+966112345678@127.0.0.1>', '"Anonymous" <sip:anonymous@anonymous.invalid>']),
    );
    expect(callee.log()).not.to.include('Nobody');
  });

  it('has a new boot id after Asterisk restarted, ended its calls, and pushes softphones and trunks again', async () => {
    const { engine, heard } = await connected({ url: host.ariUrl });
    const softphone = { aor: 'agent-7', password: newId(), displayName: 'Agent', maxContacts: 1 };
    await engine.registrations.put(softphone);
    const { legId } = await answered(engine, heard);
    const { bootId } = engine.status;
    const before = heard.events.length;
    await host.restart();
    const back = await heard.untilType('engine.connected', before);
    expect(back.bootId).not.to.equal(bootId);
    expect((await untilLeg(heard, legId, 'leg.ended')).cause.q850).to.be.oneOf([16, 27, 41]);
    expect((await engine.list()).legs).to.deep.equal([]);
    const registrar = { host: '127.0.0.1', port: host.sipPort, password: softphone.password };
    const agent = await phone({ user: softphone.aor, registrar });
    await heard.told('registration.changed', { registered: true }, before);
    const call = request('', { endpoint: { type: 'softphone', aor: softphone.aor } });
    await engine.legs.originate(call);
    await agent.incoming();
    await agent.answer();
    await untilLeg(heard, call.legId, 'leg.answered');
  });
});
