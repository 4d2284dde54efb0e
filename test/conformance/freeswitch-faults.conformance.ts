import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import type { LegEvent, MediaItem, OriginateRequest } from '../../core/ports/engine.js';
import { EndedLegs } from '../../engine/freeswitch/ended-legs.js';
import type { FreeswitchEngine, FreeswitchEngineOptions } from '../../engine/freeswitch/freeswitch-engine.js';
import { describeFreeswitch, FreeswitchHost } from '../support/freeswitch.js';
import { Baresip } from '../support/phones/index.js';
import { AriProxy } from './ari-proxy.js';
import { freeswitchEngine } from './freeswitch-engine.js';
import { eventually } from '../support/eventually.js';
import { quiet } from '../support/logger.js';
import type { Heard, Of } from './heard.js';
import { kindOf } from './stage.js';
import { eventsOf, traceOf } from './trace.js';

describeFreeswitch('FreeSWITCH, when things fail', () => {
  let host: FreeswitchHost;
  let proxy: AriProxy;
  const engines: FreeswitchEngine[] = [];
  const phones: Baresip[] = [];

  before(async () => {
    host = await FreeswitchHost.start();
  });
  beforeEach(async () => {
    proxy = await AriProxy.start(`tcp://127.0.0.1:${host.eslPort}`);
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
    over: Partial<FreeswitchEngineOptions> = {},
  ): Promise<{ engine: FreeswitchEngine; heard: Heard }> => {
    const { engine, heard } = freeswitchEngine(host, { port: proxy.port, ...over });
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
  const answered = async (engine: FreeswitchEngine, heard: Heard): Promise<{ legId: string; callee: Baresip }> => {
    const callee = await phone({ user: 'callee', answer: 'auto' });
    const call = request(callee.uri);
    await engine.legs.originate(call);
    await untilLeg(heard, call.legId, 'leg.answered');
    return { legId: call.legId, callee };
  };
  it('knows a refused password for a state, told once, and stays alive', async () => {
    const { engine, heard } = freeswitchEngine(host, { password: 'not-the-password' });
    engines.push(engine);
    engine.start(heard.listener);
    const { reason } = await heard.untilType('engine.unreachable');
    expect(reason).to.match(/refused the password/);
    expect(engine.status.status).to.equal('unreachable');
    expect(await kindOf(engine.legs.originate(request('sip:nobody@127.0.0.1')))).to.equal('unreachable');
    expect(heard.events.map((event) => event.type)).to.deep.equal(['engine.unreachable']);
  });

  it('says that nothing listens, and connects when something does', async () => {
    proxy.cut();
    const { engine, heard } = freeswitchEngine(host, { port: proxy.port });
    engines.push(engine);
    engine.start(heard.listener);
    await heard.untilType('engine.unreachable');
    proxy.mend();
    const { bootId, version } = await heard.untilType('engine.connected');
    expect(engine.status).to.deep.equal({ status: 'up', bootId, version });
    expect(version).to.match(/^1\.10/);
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

  it('gives a call that came in while no application was there, or just as it went, to the next', async () => {
    const first = await connected();
    const caller = await phone({ user: '+966501113333' });
    const trunk = {
      trunkId: 'carrier',
      host: '127.0.0.1',
      port: caller.sipPort,
      transport: 'udp',
      credentials: null,
      inboundAddresses: [`127.0.0.1:${caller.sipPort}`],
    } as const;
    await first.engine.trunks.put(trunk);
    await first.engine.stop();
    await caller.dial(`sip:9201@${host.sipAddress}`);
    const second = await connected();
    await second.engine.trunks.put(trunk);
    const { legId, dialled, callerId } = await second.heard.untilType('leg.incoming');
    expect({ dialled, callerId }).to.deep.equal({ dialled: '9201', callerId: { number: '+966501113333', name: null } });
    await second.engine.legs.answer(legId);
    await caller.waitFor('CALL_ESTABLISHED');
  });

  it('does not know whether a phone rings when the answer to the originate is lost, and learns it from events', async () => {
    const { engine, heard } = await connected();
    const callee = await phone({ user: 'callee' });
    const call = request(callee.uri);
    proxy.loseAnswerTo(/^bgapi originate/m);
    expect(await kindOf(engine.legs.originate(call))).to.equal('indeterminate');
    await callee.incoming();
    await untilLeg(heard, call.legId, 'leg.ringing');
    await engine.legs.hangup(call.legId);
    await untilLeg(heard, call.legId, 'leg.ended');
    expect(callee.calls.size).to.equal(1);
  });

  it('tells of what was played to its end, and plays what waited, after an outage', async () => {
    const { engine, heard } = await connected();
    const { legId } = await answered(engine, heard);
    const play = async (items: readonly MediaItem[]): Promise<string> => {
      const playbackId = newId();
      await engine.media.play({ playbackId, target: { legId }, items });
      return playbackId;
    };
    const finished = (playbackId: string): Promise<Of<'play.finished'>> => heard.told('play.finished', { playbackId });
    const first = await play([{ type: 'silence', durationMs: 300 }]);
    const second = await play([{ type: 'tone', tone: 'busy' }]);
    await untilLeg(heard, legId, 'play.started');
    const before = heard.events.length;
    proxy.cut();
    await heard.untilType('engine.unreachable', before);
    const [after, longer] = [await connected({ port: host.eslPort }), newId()];
    await after.engine.media.play({
      playbackId: longer,
      target: { legId },
      items: [{ type: 'silence', durationMs: 400 }],
    });
    await after.heard.told('play.finished', { playbackId: longer });
    proxy.mend();
    expect((await finished(first)).outcome).to.equal('completed');
    await heard.told('play.started', { playbackId: second });
    await engine.media.stop(second);
    expect((await finished(second)).outcome).to.equal('stopped');
  });

  it('notes itself how calls ended while no application was there', async () => {
    const first = await connected();
    const caller = await phone({ user: '+966501114444' });
    await first.engine.trunks.put({
      trunkId: 'carrier',
      host: '127.0.0.1',
      port: caller.sipPort,
      transport: 'udp',
      credentials: null,
      inboundAddresses: [`127.0.0.1:${caller.sipPort}`],
    });
    await caller.dial(`sip:9202@${host.sipAddress}`);
    const { legId: incoming } = await first.heard.untilType('leg.incoming');
    const { legId, callee } = await answered(first.engine, first.heard);
    const { at: answeredAt } = await untilLeg(first.heard, legId, 'leg.answered');
    const ringing = request((await phone({ user: 'ringing' })).uri, { ringTimeoutSeconds: 1 });
    await first.engine.legs.originate(ringing);
    await first.engine.stop();
    host.answerNothing();
    await callee.hangup();
    await caller.hangup();
    const records = new EndedLegs({ directory: host.detailDir, log: quiet });
    const wanted = [incoming, legId, ringing.legId].map((id) => ({ id, created_at: answeredAt }));
    const details = await eventually(async () => {
      const found = await records.of(wanted);
      return found && [...found.values()].every(({ end }) => end) && found;
    }, 'the ends');
    expect([...details.values()].map(({ end }) => [end!.cause.q850, end!.cause.sipCode])).to.deep.equal([
      [16, null],
      [16, null],
      [19, null],
    ]);
    expect(Math.abs(details.get(legId)!.answeredAt!.getTime() - answeredAt.getTime())).to.be.below(1_000);
    expect(details.get(incoming)!.answeredAt).to.equal(null);
    const unknown = newId();
    expect(await records.of([{ id: unknown, created_at: new Date() }])).to.deep.equal(
      new Map([[unknown, { answeredAt: null, end: null }]]),
    );
  });

  it('brings back a leg that the process before had put on hold', async () => {
    const first = await connected();
    const { legId } = await answered(first.engine, first.heard);
    await first.engine.legs.hold(legId);
    await first.engine.stop();
    const second = await connected();
    await second.engine.legs.unhold(legId);
    expect(await host.api(`uuid_getvar ${legId} current_application`)).to.equal('park');
    await second.engine.legs.hold(legId);
    expect(await host.api(`uuid_getvar ${legId} current_application`)).to.equal('endless_playback');
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

  it('has a new boot id after FreeSWITCH restarted, ended its calls, and tells of softphones and trunks again', async () => {
    const { engine, heard } = await connected({ port: host.eslPort });
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
