import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isId, newId } from '../../../core/model/ids.js';
import { NO_SIP_SECURITY } from '../../../core/model/sip-security.js';
import { EngineError } from '../../../core/ports/engine.js';
import type { Trunk } from '../../../core/ports/engine/peers.js';
import type { EngineEvent } from '../../../core/ports/engine-events.js';
import { Arrivals } from '../../../engine/asterisk/arrivals.js';
import type { AriChannel, AriEvent } from '../../../engine/asterisk/ari/ari-types.js';
import {
  callerIdVariables,
  dialString,
  diversionVariables,
  resumedVariables,
  identityVariables,
} from '../../../engine/asterisk/sip/dial-string.js';
import { EventTranslator } from '../../../engine/asterisk/event-translator.js';
import { LegRegistry } from '../../../engine/asterisk/leg-registry.js';
import { legIdOf } from '../../../engine/asterisk/leg-id.js';
import { MediaUris } from '../../../engine/asterisk/media-uri.js';
import {
  probeObjects,
  registrationObject,
  softphoneObjects,
  trunkObjects,
  trunkOfEndpoint,
} from '../../../engine/asterisk/sip/pjsip-objects.js';
import { PlaybackRegistry } from '../../../engine/asterisk/playback-registry.js';

const CREATED = '2026-11-21T14:02:32.170+0000';
const DEFAULTS = {
  codecs: ['alaw', 'g722'],
  rtpTimeoutSeconds: 60,
  rtpTimeoutOnHoldSeconds: 3600,
  sessionTimers: { expiresSeconds: 1800, minSeconds: 90 },
  trunkProbeSeconds: 30,
  security: NO_SIP_SECURITY,
};

describe('Asterisk: leg ids', () => {
  const inbound = { id: '1795270805.12', creationtime: CREATED };

  it('are the channel id of an outbound leg', () => {
    const id = newId();
    expect(legIdOf({ id, creationtime: CREATED }, 'engine')).to.equal(id);
  });

  it('of an inbound channel are well-formed, sort by creation time, and are stable', () => {
    const legId = legIdOf(inbound, 'engine');
    expect(isId(legId)).to.equal(true);
    expect(legIdOf(inbound, 'engine')).to.equal(legId);
    expect(Number.parseInt(legId.replaceAll('-', '').slice(0, 12), 16)).to.equal(Date.parse(CREATED));
  });

  it('differ by channel, creation time and engine', () => {
    const others = [
      legIdOf({ ...inbound, id: '1795270805.13' }, 'engine'),
      legIdOf({ ...inbound, creationtime: '2026-11-21T14:02:32.171+0000' }, 'engine'),
      legIdOf(inbound, 'another'),
    ];
    expect(new Set([legIdOf(inbound, 'engine'), ...others]).size).to.equal(4);
  });
});

describe('Asterisk: dial strings', () => {
  it('name the endpoint of each kind of target', () => {
    expect(dialString({ type: 'softphone', aor: 'agent-1' })).to.equal('PJSIP/agent-1');
    expect(resumedVariables({ type: 'softphone', aor: 'agent-1' })).to.deep.equal({});
    expect(resumedVariables({ type: 'softphone', aor: 'web.1', resumedSeconds: 75 })).to.deep.equal({
      'PJSIP_HEADER(add,X-Hatif-Resumed)': '75',
    });
    expect(dialString({ type: 'trunk', trunkId: 't1', number: '+966500000001' })).to.equal(
      'PJSIP/+966500000001@hatif-trunk-t1',
    );
    expect(dialString({ type: 'trunk', trunkId: 't1', number: '*21#' })).to.equal('PJSIP/*21%23@hatif-trunk-t1');
    expect(dialString({ type: 'sip', uri: 'sip:anna@192.0.2.1:5070;transport=tcp' })).to.equal(
      'PJSIP/hatif-direct/sip:anna@192.0.2.1:5070;transport=tcp',
    );
    expect(dialString({ type: 'inside', number: '+966500000001' })).to.equal('Local/+966500000001@hatif-inside/n');
  });

  for (const endpoint of [
    { type: 'softphone', aor: 'a&PJSIP/b' },
    { type: 'softphone', aor: '' },
    { type: 'trunk', trunkId: 't1', number: '1@evil' },
    { type: 'trunk', trunkId: 't1', number: '1 2' },
    { type: 'sip', uri: 'sip:a@b&PJSIP/c' },
    { type: 'sip', uri: 'tel:+966500000001' },
    { type: 'sip', uri: 'sip:a@b\r\nX: y' },
    { type: 'sip', uri: 'sip:a@b/c' },
    { type: 'inside', number: '+1@hatif-trunk' },
  ] as const) {
    it(`reject ${JSON.stringify(endpoint)}`, () => {
      expect(() => dialString(endpoint))
        .to.throw(EngineError)
        .with.property('kind', 'rejected');
    });
  }

  it('tell trunks whose call is forwarded, and why', () => {
    const trunk = { type: 'trunk', trunkId: 't1', number: '+966500000001' } as const;
    expect(diversionVariables(trunk)).to.deep.equal({});
    const diversion = { number: '+966112345678', case: 'no_answer' } as const;
    expect(diversionVariables({ ...trunk, diversion })).to.include({
      'REDIRECTING(from-num,i)': '+966112345678',
      'REDIRECTING(reason,i)': 'cfnr',
    });
    expect(diversionVariables({ type: 'inside', number: '+966500000001', diversion })).to.deep.equal({});
  });

  it('escape a display name, and omit a withheld caller', () => {
    const shown = callerIdVariables({ number: '+966112345678', name: 'A"\r\nX: <b>' });
    expect(shown['CONNECTEDLINE(name,i)']).to.match(/^[^"\r\n<>]*$/);
    expect(JSON.stringify(callerIdVariables({ number: null, name: 'Anna' }))).not.to.include('Anna');
  });
});

describe('Asterisk: pushed objects', () => {
  const trunk = {
    trunkId: 't1',
    host: '2001:db8::1',
    port: 5061,
    transport: 'tls',
    credentials: { username: 'user', password: 'secret' },
    inboundAddresses: ['192.0.2.1', '198.51.100.0/24'],
  } as const;

  it('are ordered by their references', () => {
    const softphone = { aor: 'agent-1', password: 'secret', displayName: 'A "B"', maxContacts: 2 };
    expect(softphoneObjects(softphone, DEFAULTS).map(({ type }) => type)).to.deep.equal(['auth', 'aor', 'endpoint']);
    expect(trunkObjects(trunk, DEFAULTS).map(({ type }) => type)).to.deep.equal([
      'auth',
      'aor',
      'endpoint',
      'identify',
    ]);
  });

  it('have the context of their kind, so that a softphone never counts as a trunk', () => {
    const contextOf = (objects: ReturnType<typeof trunkObjects>) =>
      objects.flatMap(({ fields }) => fields.filter(([name]) => name === 'context').map(([, value]) => value));
    const softphone = { aor: 'agent-1', password: 'secret', displayName: '', maxContacts: 1 };
    expect(contextOf(softphoneObjects(softphone, DEFAULTS))).to.deep.equal(['hatif-agent']);
    expect(contextOf(trunkObjects(trunk, DEFAULTS))).to.deep.equal(['hatif-trunk']);
  });

  it('enable session timers for phones and trunks', () => {
    const softphone = { aor: 'agent-1', password: 'secret', displayName: '', maxContacts: 1 };
    for (const objects of [softphoneObjects(softphone, DEFAULTS), trunkObjects(trunk, DEFAULTS)]) {
      const fields = new Map(objects.find(({ type }) => type === 'endpoint')?.fields);
      expect([fields.get('timers'), fields.get('timers_sess_expires'), fields.get('timers_min_se')]).to.deep.equal([
        ...['yes', '1800', '90'],
      ]);
    }
  });

  it('encrypt phones and trunks over TLS only, and say so also where they do not', () => {
    const security = { phonesNeedTls: true, phones: 'required', trunks: 'offered' } as const;
    const softphone = { aor: 'agent-1', password: 'secret', displayName: '', maxContacts: 1 };
    const of = (objects: ReturnType<typeof trunkObjects>): readonly (string | undefined)[] => {
      const fields = new Map(objects.find(({ type }) => type === 'endpoint')?.fields);
      return ['context', 'transport', 'media_encryption', 'media_encryption_optimistic'].map((name) =>
        fields.get(name),
      );
    };
    const secure = { ...DEFAULTS, security };
    expect(of(softphoneObjects(softphone, secure))).to.deep.equal(['hatif-tls-agent', 'tls', 'sdes', 'no']);
    expect(of(softphoneObjects(softphone, DEFAULTS))).to.deep.equal(['hatif-agent', '', 'no', 'no']);
    expect(of(trunkObjects(trunk, secure))).to.deep.equal(['hatif-tls-trunk', undefined, 'sdes', 'yes']);
    expect(of(trunkObjects({ ...trunk, transport: 'tcp' }, secure))).to.deep.equal([
      'hatif-trunk',
      undefined,
      'no',
      'no',
    ]);
    expect(of(trunkObjects({ ...trunk, isPeer: true }, secure))).to.deep.equal(['hatif-peer', undefined, 'no', 'no']);
  });

  it('of a trunk without credentials and addresses are only its aor and endpoint', () => {
    const objects = trunkObjects({ ...trunk, credentials: null, inboundAddresses: [] }, DEFAULTS);
    expect(objects.map(({ type }) => type)).to.deep.equal(['aor', 'endpoint']);
    expect(objects[0]?.fields).to.deep.equal([['contact', 'sip:[2001:db8::1]:5061;transport=tls']]);
  });

  it('of a trunk have its codecs, its way of sending digits, and its rule for the caller', () => {
    const fieldsOf = (more: Partial<Trunk>) =>
      new Map(trunkObjects({ ...trunk, ...more }, DEFAULTS).find(({ type }) => type === 'endpoint')?.fields);
    const usual = fieldsOf({});
    expect([usual.get('allow'), usual.get('dtmf_mode'), usual.get('send_pai')]).to.deep.equal([
      ...[DEFAULTS.codecs.join(','), 'auto_info', 'yes'],
    ]);
    const own = fieldsOf({ codecs: ['opus', 'alaw'], dtmfMode: 'inband', assertsCaller: false });
    expect([own.get('allow'), own.get('dtmf_mode'), own.get('send_pai')]).to.deep.equal(['opus,alaw', 'inband', 'no']);
  });

  it('of a trunk that registers name its account', () => {
    const { type, id, fields } = registrationObject({ ...trunk, credentials: { username: 'a@b', password: 'secret' } });
    expect([type, id]).to.deep.equal(['registration', 'hatif-trunk-t1']);
    const of = new Map(fields);
    expect(of.get('server_uri')).to.equal('sip:[2001:db8::1]:5061;transport=tls');
    expect(of.get('client_uri')).to.equal('sip:a%40b@[2001:db8::1]');
    expect([of.get('contact_user'), of.get('outbound_auth')]).to.deep.equal(['a%40b', 'hatif-trunk-t1']);
    expect(JSON.stringify(fields), 'the password is in the auth').to.not.contain('secret');
  });

  it('add headers about the caller to a leg', () => {
    const identity = { asserted: '+966112345678', isPrivate: true };
    expect(identityVariables(identity, trunk)).to.deep.equal({
      'PJSIP_HEADER(add,P-Asserted-Identity)': '<sip:+966112345678@[2001:db8::1]>',
      'PJSIP_HEADER(add,Privacy)': 'id',
    });
    expect(identityVariables({ asserted: null, isPrivate: false }, trunk)).to.deep.equal({});
  });
});

describe('Asterisk: probes of a trunk', () => {
  const trunk = { trunkId: 'a', host: '198.51.100.7', port: 5060, transport: 'udp', inboundAddresses: [] } as const;

  it('use an endpoint of their own, which nobody can call', () => {
    const [aor, endpoint, ...rest] = probeObjects({ ...trunk, credentials: null }, DEFAULTS);
    expect(rest).to.deep.equal([]);
    expect(aor).to.deep.include({ type: 'aor', id: 'hatif-probe-a' });
    expect(aor!.fields).to.deep.include(['contact', 'sip:198.51.100.7:5060']);
    expect(aor!.fields).to.deep.include(['qualify_frequency', '30']);
    expect(endpoint).to.deep.include({ type: 'endpoint', id: 'hatif-probe-a' });
    expect(endpoint!.fields).to.deep.include(['context', 'hatif-nowhere']);
    expect(trunkOfEndpoint('hatif-probe-a'), 'no trunk of calls').to.equal(null);
  });
});

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

describe('Asterisk: sounds', () => {
  it('are generated consistently by several engines at the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-sounds-'));
    try {
      const tone = [{ type: 'tone', tone: 'ringback' }] as const;
      const made = await Promise.all([1, 2, 3, 4].map(() => new MediaUris(folder).ofAll(tone, 1)));
      expect(new Set(made.map(([first]) => first))).to.have.property('size', 1);
      expect(await readdir(folder)).to.deep.equal(['tone-ringback.wav']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
