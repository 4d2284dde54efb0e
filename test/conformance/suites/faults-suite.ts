import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { Engine, OriginateRequest } from '../../../core/ports/engine.js';
import type { LegEvent } from '../../../core/ports/engine-events.js';
import { eventually } from '../../support/eventually.js';
import { Baresip } from '../../support/phones/index.js';
import { AriProxy } from '../rigs/ari-proxy.js';
import type { Heard, Of } from '../rigs/heard.js';
import type { EngineGround, Reach } from '../rigs/rig.js';
import { carrierAt, connected, kindOf, legTo } from '../rigs/stage.js';
import { type Opened } from '../rigs/opened.js';
import { eventsOf, traceOf } from '../rigs/trace.js';

/** The environment of fault scenarios: an engine behind a proxy that simulates faults. */
export interface FaultsStage {
  readonly ground: EngineGround;
  readonly proxy: AriProxy;
  /** Returns an adapter that is stopped after the test; it connects through the proxy unless `over` says otherwise. */
  open(over?: Reach): Opened;
  connected(over?: Reach): Promise<Opened>;
  phone(...args: Parameters<typeof Baresip.start>): Promise<Baresip>;
  answered(opened: Opened): Promise<{ readonly legId: string; readonly callee: Baresip }>;
}

/** Hooks of the enclosing `describe` that set up the stage. */
export function faultsStage(start: () => Promise<EngineGround>): FaultsStage {
  let ground: EngineGround;
  let proxy: AriProxy;
  const engines: Engine[] = [];
  const phones: Baresip[] = [];

  before(async () => {
    ground = await start();
  });
  beforeEach(async () => {
    proxy = await AriProxy.start(`http://127.0.0.1:${ground.port}`);
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
    await ground.stop();
  });

  const stage: FaultsStage = {
    get ground() {
      return ground;
    },
    get proxy() {
      return proxy;
    },
    open: (over) => {
      const opened = ground.open({ port: proxy.port, ...over });
      engines.push(opened.engine);
      return opened;
    },
    connected: (over) => connected(stage.open(over)),
    phone: async (...args) => {
      const started = await Baresip.start(...args);
      phones.push(started);
      return started;
    },
    answered: async ({ engine, heard }) => {
      const callee = await stage.phone({ user: 'callee', answer: 'auto' });
      const call = callTo(callee.uri);
      await engine.legs.originate(call);
      await untilLeg(heard, call.legId, 'leg.answered');
      return { legId: call.legId, callee };
    },
  };
  return stage;
}

export function callTo(uri: string, over: Partial<OriginateRequest> = {}): OriginateRequest {
  return legTo({ type: 'sip', uri }, { ringTimeoutSeconds: 30, ...over });
}

export function untilLeg<Type extends LegEvent['type']>(heard: Heard, legId: string, type: Type): Promise<Of<Type>> {
  return heard.event<LegEvent['type']>(type, { legId }) as Promise<Of<Type>>;
}

export interface FaultsOfEngine {
  /** The error message for a refused password. */
  readonly refusal: RegExp;
  readonly version: RegExp;
  /** The request that dials. */
  readonly dial: RegExp;
  /** Whether the engine keeps its trunks for the next process; otherwise each process puts them. */
  readonly keepsTrunks: boolean;
}

/** Faults that every engine must handle in the same way. */
export function faultsConformance(stage: FaultsStage, { refusal, version, dial, keepsTrunks }: FaultsOfEngine): void {
  it('reports a refused password once, as a state', async () => {
    const { engine, heard } = stage.open({ port: stage.ground.port, password: 'not-the-password' });
    engine.start(heard.listener);
    const { reason } = await heard.untilType('engine.unreachable');
    expect(reason).to.match(refusal);
    expect(engine.status.status).to.equal('unreachable');
    expect(await kindOf(engine.legs.originate(callTo('sip:nobody@127.0.0.1')))).to.equal('unreachable');
    expect(heard.events.map((event) => event.type)).to.deep.equal(['engine.unreachable']);
  });

  it('reports a refused connection, and connects as soon as the engine listens', async () => {
    stage.proxy.cut();
    const { engine, heard } = stage.open();
    engine.start(heard.listener);
    await heard.untilType('engine.unreachable');
    stage.proxy.mend();
    const event = await heard.untilType('engine.connected');
    expect(engine.status).to.deep.equal({ status: 'up', bootId: event.bootId, version: event.version });
    expect(event.version).to.match(version);
  });

  it('keeps its calls when the connection breaks, and reports those that ended meanwhile', async () => {
    const opened = await stage.connected();
    const { engine, heard } = opened;
    const [staying, leaving] = [await stage.answered(opened), await stage.answered(opened)];
    const { bootId } = engine.status;
    const before = heard.events.length;
    stage.proxy.cut();
    await heard.untilType('engine.unreachable', before);
    expect(await kindOf(engine.legs.mute(staying.legId))).to.equal('unreachable');
    await leaving.callee.hangup();
    await leaving.callee.closed();
    stage.proxy.mend();
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

  it('detects a half-open connection', async () => {
    const { heard } = await stage.connected({ pingIntervalMs: 300, timeoutMs: 1_000 });
    const before = heard.events.length;
    stage.proxy.freeze();
    await heard.untilType('engine.unreachable', before);
    stage.proxy.hiccup();
    await heard.untilType('engine.connected', before);
  });

  it('hands its calls over to the next process, inbound ones with the same IDs', async () => {
    const first = await stage.connected();
    const caller = await stage.phone({ user: '+966501112222' });
    await first.engine.trunks.put(carrierAt(caller.sipPort));
    await caller.dial(`sip:9200@${stage.ground.sipAddress}`);
    const { legId } = await first.heard.untilType('leg.incoming');
    await first.engine.legs.answer(legId);
    await untilLeg(first.heard, legId, 'leg.answered');
    await first.engine.legs.echo(legId);
    const bridgeId = newId();
    await first.engine.bridges.create(bridgeId);
    await first.engine.stop();

    const second = await stage.connected();
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

  it('after an outage, removes the helpers of an ended monitoring leg, and keeps one whose target ended', async () => {
    const first = await stage.connected();
    const [agent, leaving, staying] = [
      await stage.answered(first),
      await stage.answered(first),
      await stage.answered(first),
    ];
    for (const { legId } of [leaving, staying]) {
      await first.engine.monitors.start({ legId, targetLegId: agent.legId, whispers: true });
    }
    await first.engine.stop();
    await leaving.callee.hangup();
    await leaving.callee.closed();
    await agent.callee.hangup();
    await agent.callee.closed();

    const second = await stage.connected();
    expect((await second.engine.list()).legs.map(({ legId }) => legId)).to.deep.equal([staying.legId]);
    await second.engine.monitors.stop(staying.legId);
    await second.engine.legs.hangup(staying.legId);
    await untilLeg(second.heard, staying.legId, 'leg.ended');
    await eventually(async () => (await stage.ground.left()).length === 0, 'the engine is empty');
  });

  it('reports a call to the next process if it arrived without a connected one, or as one disconnected', async () => {
    const first = await stage.connected();
    const caller = await stage.phone({ user: '+966501113333' });
    const trunk = carrierAt(caller.sipPort);
    await first.engine.trunks.put(trunk);
    await first.engine.stop();
    await caller.dial(`sip:9201@${stage.ground.sipAddress}`);
    const second = await stage.connected();
    if (!keepsTrunks) await second.engine.trunks.put(trunk);
    const { legId, dialled, callerId } = await second.heard.untilType('leg.incoming');
    expect({ dialled, callerId }).to.deep.equal({ dialled: '9201', callerId: { number: '+966501113333', name: null } });
    await second.engine.legs.answer(legId);
    await caller.waitFor('CALL_ESTABLISHED');
  });

  it('reports `indeterminate` if the response to the dial is lost, and the outcome with later events', async () => {
    const { engine, heard } = await stage.connected();
    const callee = await stage.phone({ user: 'callee' });
    const call = callTo(callee.uri);
    stage.proxy.loseAnswerTo(dial);
    expect(await kindOf(engine.legs.originate(call))).to.equal('indeterminate');
    await callee.incoming();
    await untilLeg(heard, call.legId, 'leg.ringing');
    await engine.legs.hangup(call.legId);
    await untilLeg(heard, call.legId, 'leg.ended');
    expect(callee.calls.size).to.equal(1);
  });

  it('sends the caller ID in From, and no part of it if it is withheld', async () => {
    const { engine, heard } = await stage.connected();
    const callee = await stage.phone({ user: 'callee', trace: true });
    const shown = callTo(callee.uri, { callerId: { number: '+966112345678', name: 'Nahda "Shop" <1>' } });
    await engine.legs.originate(shown);
    await callee.incoming();
    await engine.legs.hangup(shown.legId);
    await untilLeg(heard, shown.legId, 'leg.ended');
    const withheld = callTo(callee.uri, { callerId: { number: null, name: 'Nobody' } });
    await engine.legs.originate(withheld);
    await callee.incoming();
    const from = [...callee.log().matchAll(/^From: (.*);tag=/gm)].map((match) => match[1]);
    expect(new Set(from)).to.deep.equal(
      new Set(['"Nahda  Shop   1" <sip:+966112345678@127.0.0.1>', '"Anonymous" <sip:anonymous@anonymous.invalid>']),
    );
    expect(callee.log()).not.to.include('Nobody');
  });

  it('has a new boot ID after an engine restart, ends its calls, and puts softphones and trunks again', async () => {
    const opened = await stage.connected({ port: stage.ground.port });
    const { engine, heard } = opened;
    const softphone = { aor: 'agent-7', password: newId(), displayName: 'Agent', maxContacts: 1 };
    await engine.registrations.put(softphone);
    const { legId } = await stage.answered(opened);
    const { bootId } = engine.status;
    const before = heard.events.length;
    await stage.ground.restart();
    const back = await heard.untilType('engine.connected', before);
    expect(back.bootId).not.to.equal(bootId);
    expect((await untilLeg(heard, legId, 'leg.ended')).cause.q850).to.be.oneOf([16, 27, 41]);
    expect((await engine.list()).legs).to.deep.equal([]);
    const registrar = { host: '127.0.0.1', port: stage.ground.sipPort, password: softphone.password };
    const agent = await stage.phone({ user: softphone.aor, registrar });
    await heard.event('registration.changed', { registered: true }, before);
    const call = legTo({ type: 'softphone', aor: softphone.aor }, { ringTimeoutSeconds: 30 });
    await engine.legs.originate(call);
    await agent.incoming();
    await agent.answer();
    await untilLeg(heard, call.legId, 'leg.answered');
  });
}
