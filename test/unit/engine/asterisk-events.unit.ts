import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import type { EngineEvent } from '../../../core/ports/engine-events.js';
import { Arrivals } from '../../../engine/asterisk/arrivals.js';
import type { AriChannel, AriEvent } from '../../../engine/asterisk/ari/ari-types.js';
import { EventTranslator } from '../../../engine/asterisk/event-translator.js';
import { LegRegistry } from '../../../engine/asterisk/leg-registry.js';
import { PlaybackRegistry } from '../../../engine/asterisk/playback-registry.js';

const CREATED = '2026-11-21T14:02:32.170+0000';

describe('Asterisk: events', () => {
  const legId = newId();
  let registry: LegRegistry;
  let playbacks: PlaybackRegistry;
  let events: EngineEvent[];
  let orphans: string[];
  let translator: EventTranslator;

  beforeEach(() => {
    registry = new LegRegistry();
    playbacks = new PlaybackRegistry();
    events = [];
    orphans = [];
    translator = new EventTranslator(
      registry,
      playbacks,
      new Arrivals(1_000),
      (event) => events.push(event),
      ({ legId: id }) => orphans.push(id),
    );
    translator.entityId = 'engine';
  });

  const channel = (over: Partial<AriChannel> = {}): AriChannel => ({
    id: legId,
    name: 'PJSIP/hatif-direct-00000001',
    state: 'Up',
    caller: { name: '', number: '' },
    creationtime: CREATED,
    dialplan: {},
    ...over,
  });
  const receive = (type: string, over: Partial<AriEvent> = {}): void =>
    translator.translate({ type, application: 'hatif', timestamp: CREATED, channel: channel(), ...over });
  const types = (): string[] => events.map((event) => event.type);

  it('report each state once, however often Asterisk does', () => {
    registry.open(legId, legId);
    for (const state of ['Ringing', 'Ringing', 'Up', 'Up', 'Ringing']) {
      receive('ChannelStateChange', { channel: channel({ state }) });
    }
    expect(types()).to.deep.equal(['leg.ringing', 'leg.answered']);
  });

  it('end a leg once, with Asterisk’s time', () => {
    registry.open(legId, legId);
    receive('ChannelDestroyed', { cause: 17, tech_cause: 486 });
    receive('ChannelDestroyed', { cause: 17, tech_cause: 486 });
    expect(events).to.deep.equal([
      {
        type: 'leg.ended',
        legId,
        at: new Date('2026-11-21T14:02:32.170Z'),
        cause: { q850: 17, sipCode: 486, text: 'User busy' },
      },
    ]);
  });

  it('show no SIP status if this side ended the leg', () => {
    registry.open(legId, legId);
    receive('ChannelHangupRequest', { soft: true, cause: 32 });
    receive('ChannelDestroyed', { cause: 19, tech_cause: 480 });
    expect(events[0]).to.have.nested.property('cause.sipCode', null);
  });

  it('report the cause of the command, even if Asterisk was sent another', () => {
    registry.open(legId, legId);
    registry.noteHangup(legId, 41);
    receive('ChannelHangupRequest', { soft: true, cause: 32 });
    receive('ChannelDestroyed', { cause: 42 });
    expect(events[0]).to.have.nested.property('cause.q850', 41);
  });

  it('finish current and queued playbacks before the end of their leg', () => {
    registry.open(legId, legId);
    playbacks.open('a', legId);
    playbacks.open('b', legId);
    receive('PlaybackFinished', { playback: { id: 'a', target_uri: `channel:${legId}`, state: 'done' } });
    receive('ChannelDestroyed', { cause: 16 });
    receive('PlaybackFinished', { playback: { id: 'b', target_uri: `channel:${legId}`, state: 'failed' } });
    expect(types()).to.deep.equal(['play.finished', 'play.finished', 'leg.ended']);
  });

  it('report the start of a list once', () => {
    registry.open(legId, legId);
    playbacks.open('a', legId);
    const playback = { id: 'a', target_uri: `channel:${legId}`, state: 'playing' };
    receive('PlaybackStarted', { playback });
    receive('PlaybackStarted', { playback });
    expect(types()).to.deep.equal(['play.started']);
  });

  it('report nothing about a leg whose origination is pending or was rejected', () => {
    const leg = registry.open(legId, legId, { pending: true });
    receive('ChannelDestroyed', { cause: 21 });
    expect(events).to.deep.equal([]);
    expect(registry.leg(leg.legId)).to.equal(undefined);
  });

  it('request the removal of an ended leg’s echo helper', () => {
    registry.open(legId, legId).echo = true;
    receive('ChannelDestroyed', { cause: 16 });
    expect(orphans).to.deep.equal([legId]);
  });

  it('ignore helpers, foreign channels and unknown types', () => {
    receive('StasisStart', { channel: channel({ name: 'Local/s@hatif-echo-0001;1' }), args: ['echo'] });
    receive('ChannelDtmfReceived', { digit: '1' });
    receive('SomethingNew');
    translator.translate({ type: 'SomethingNew' });
    expect(events).to.deep.equal([]);
  });

  it('identify a caller by trunk or softphone, and omit a withheld one', () => {
    const enter = (id: string, number: string, from: string, endpoint: string): void =>
      receive('StasisStart', {
        channel: channel({ id, state: 'Ring', caller: { name: 'Anna', number } }),
        args: ['inbound', from, '9200', endpoint],
      });
    enter('1.1', '+966501234567', 'trunk', 'hatif-trunk-t1');
    enter('1.2', 'agent1', 'agent', 'agent-1');
    enter('1.3', 'anonymous', 'trunk', 'hatif-trunk-t1');
    expect(
      events.map((event) => event.type === 'leg.incoming' && { source: event.source, callerId: event.callerId }),
    ).to.deep.equal([
      { source: { type: 'trunk', trunkId: 't1' }, callerId: { number: '+966501234567', name: 'Anna' } },
      { source: { type: 'softphone', aor: 'agent-1' }, callerId: { number: 'agent-1', name: 'Anna' } },
      { source: { type: 'trunk', trunkId: 't1' }, callerId: { number: null, name: null } },
    ]);
  });

  it('hand over the headers of a phone, except the mark of the SIP edge', () => {
    const headers =
      'X-Hatif-Order-Id=A%2D17+%C3%BC&x-hatif-edge=softphone%2F1001%2Fmac&X-Hatif-Edge=a&X-Hatif-Trunk=b&';
    receive('StasisStart', {
      channel: channel({ id: '1.1', state: 'Ring' }),
      args: ['inbound', 'phone', '9200', 'agent-1', headers],
    });
    expect(events).to.have.lengthOf(1);
    expect(events[0]).to.have.property('headers').that.deep.equals({ 'X-Hatif-Order-Id': 'A-17+ü' });
  });

  it('end an inbound leg when it leaves the application, with the requester’s cause', () => {
    const end = (id: string, ...before: (() => void)[]): unknown => {
      const incoming = channel({ id, state: 'Ring' });
      receive('StasisStart', { channel: incoming, args: ['inbound', 'trunk', '9200', 'hatif-trunk-t1'] });
      for (const step of before) step();
      receive('StasisEnd', { channel: incoming });
      const last = events.at(-1);
      return last?.type === 'leg.ended' && last.cause.q850;
    };
    const request = (id: string, over: Partial<AriEvent>) => () =>
      receive('ChannelHangupRequest', { channel: channel({ id }), ...over });
    expect(end('2.1')).to.equal(16);
    expect(end('2.2', request('2.2', { cause: 127, tech_cause: 487 }))).to.equal(16);
    expect(end('2.3', request('2.3', { cause: 38 }))).to.equal(38);
    expect(end('2.4', request('2.4', { soft: true, cause: 32 }))).to.equal(31);
    const endHere = (): void => {
      const leg = registry.ofChannel('2.5');
      if (leg) Object.assign(leg, { endedHere: true, requestedQ850: 17 });
    };
    expect(end('2.5', endHere, request('2.5', { soft: true, cause: 32 }))).to.equal(17);
  });
});
