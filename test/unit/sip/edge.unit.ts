import { expect } from 'chai';
import { carrierMark, edgeMark, namedBy } from '../../../core/model/edge-mark.js';
import { NO_SIP_SECURITY, type SipSecurity } from '../../../core/model/sip-security.js';
import { EDGE_FEATURES } from '../../../core/ports/sip/edge.js';
import { trunkStateKey } from '../../../core/ports/sip/memory.js';
import type { EngineEvent } from '../../../core/ports/engine-events.js';
import type { Softphone, Trunk } from '../../../core/ports/engine/peers.js';
import { SimulatorEngine } from '../../../engine/simulator/simulator-engine.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { exitVariables } from '../../../engine/asterisk/sip/dial-string.js';
import { softphoneObjects, trunkObjects } from '../../../engine/asterisk/sip/pjsip-objects.js';
import { sourceOf, type Source } from '../../../engine/freeswitch/arrival.js';
import { dialString } from '../../../engine/freeswitch/dial-string.js';
import { freeswitchXml } from '../../../engine/freeswitch/xml.js';
import { directEdge } from '../../../adapters/sip/direct-edge.js';
import { DrachtioEdge } from '../../../sip/edge.js';
import { quiet } from '../../support/logger.js';
import { ownMemory } from '../../support/peers/sip/memory.js';

const SOFTPHONE: Softphone = { aor: '1001', password: 's3cret', displayName: 'Reem', maxContacts: 1 };
const TRUNK: Trunk = {
  ...{ trunkId: 'carrier', host: '198.51.100.7', port: 5060, transport: 'udp', credentials: null },
  inboundAddresses: ['198.51.100.7'],
};
const DEFAULTS = {
  codecs: ['alaw'],
  rtpTimeoutSeconds: 60,
  rtpTimeoutOnHoldSeconds: 3_600,
  sessionTimers: { expiresSeconds: 1_800, minSeconds: 90 },
  trunkProbeSeconds: 30,
  security: NO_SIP_SECURITY,
};

describe('the SIP edge before an engine', () => {
  let memory: ReturnType<typeof ownMemory>;
  let edge: DrachtioEdge;
  let clock: VirtualClock;
  let registered: Set<string>;
  beforeEach(() => {
    [memory, clock, registered] = [ownMemory(), new VirtualClock(), new Set(['1001'])];
    edge = new DrachtioEdge({
      address: { host: '192.0.2.5', port: 5060 },
      mac: (text) => `mac${text.length}`,
      registered: () => Promise.resolve(registered),
      ...{ memory, clock, log: quiet },
    });
  });

  it('has a mark for each softphone and trunk, which names it', () => {
    const mark = edgeMark({ type: 'softphone', id: '1001' }, (text) => `mac${text.length}`);
    expect(edge.softphone(SOFTPHONE).edge).to.deep.equal({ host: '192.0.2.5', port: 5060, mark });
    expect(namedBy(mark)).to.deep.equal({ type: 'softphone', id: '1001' });
    for (const text of ['', '1001', 'agent/1001/x', 'softphone/10 01/x', 'softphone/1001/', 'softphone//x']) {
      expect(namedBy(text), text).to.equal(null);
    }
  });

  it('lets other engines call each other directly', () => {
    expect(edge.trunk({ ...TRUNK, isPeer: true })).not.to.have.property('edge');
    expect(edge.trunk(TRUNK)).to.have.property('edge');
  });

  it('makes Asterisk know callers by their mark only, and reach phones at the edge', () => {
    const objects = softphoneObjects(edge.softphone(SOFTPHONE), DEFAULTS);
    expect(objects.map(({ type }) => type)).to.deep.equal(['aor', 'endpoint', 'identify']);
    const [aor, endpoint, identify] = objects;
    expect(aor?.fields).to.deep.equal([['contact', 'sip:1001@192.0.2.5:5060']]);
    expect(endpoint?.fields).to.deep.include(['aors', aor?.id]).and.deep.include(['identify_by', 'header']);
    const [, ownAor] = softphoneObjects(SOFTPHONE, DEFAULTS);
    expect(ownAor?.id, 'that of a phone at Asterisk').not.to.equal(aor?.id);
    expect(endpoint?.fields).to.deep.include(['auth', '']);
    expect(identify?.fields).to.deep.equal([
      ['endpoint', '1001'],
      ['match_header', `X-Hatif-Edge: ${edge.softphone(SOFTPHONE).edge!.mark}`],
    ]);
    const ofTrunk = trunkObjects(edge.trunk(TRUNK), DEFAULTS).find(({ type }) => type === 'identify');
    expect(ofTrunk?.fields.map(([name]) => name)).to.deep.equal(['endpoint', 'match_header']);
  });

  it('makes FreeSWITCH know callers by a genuine mark only', () => {
    const [softphone, trunk] = [edge.softphone(SOFTPHONE), edge.trunk(TRUNK)];
    const known = {
      softphone: (aor: string) => (aor === '1001' ? softphone : undefined),
      trunk: (trunkId: string) => (trunkId === 'carrier' ? trunk : undefined),
      trunks: () => [trunk],
    };
    const from = (mark: string | null): Source | null =>
      sourceOf(
        {
          'Channel-Name': 'sofia/hatif/1001@hatif',
          variable_sip_network_ip: '198.51.100.7',
          variable_sip_network_port: '5060',
          ...(mark !== null && { 'variable_sip_h_X-Hatif-Edge': mark }),
        },
        known,
      );
    expect(from(softphone.edge!.mark)).to.deep.equal({ type: 'softphone', aor: '1001' });
    expect(from(trunk.edge!.mark)).to.deep.equal({ type: 'trunk', trunkId: 'carrier' });
    for (const mark of ['softphone/1001/guessed', 'softphone/1002/x', 'trunk/carrier/guessed', '']) {
      expect(from(mark), mark).to.equal(null);
    }
    expect(from(null), 'the address of the trunk alone').to.equal(null);
  });

  it('makes a browser of the edge a WebRTC endpoint of Asterisk, known by its mark', () => {
    const objects = softphoneObjects(edge.softphone({ ...SOFTPHONE, isBrowser: true }), DEFAULTS);
    expect(objects.map(({ type }) => type)).to.deep.equal(['aor', 'endpoint', 'identify']);
    const fields = objects.find(({ type }) => type === 'endpoint')?.fields;
    for (const [name, value] of [
      ['webrtc', 'yes'],
      ['context', 'hatif-agent'],
      ['identify_by', 'header'],
      ['transport', ''],
      ['auth', ''],
    ] as const) {
      expect(fields).to.deep.include([name, value]);
    }
  });

  it('lets no phone register at FreeSWITCH, and no trunk in by its address', () => {
    const answer = (question: Readonly<Record<string, string>>, given: Softphone, trunk: Trunk): string =>
      freeswitchXml(
        { get: (field) => question[field] ?? null },
        { softphone: () => given, trunks: () => [trunk], probeSeconds: 30, phonesNeedTls: false, codecs: [] },
      );
    const account = { section: 'directory', user: '1001' };
    const lists = { section: 'configuration', key_value: 'acl.conf' };
    expect(answer(account, SOFTPHONE, TRUNK)).to.contain('s3cret');
    expect(answer(account, edge.softphone(SOFTPHONE), TRUNK)).to.contain('not found');
    expect(answer(lists, SOFTPHONE, TRUNK)).to.contain('198.51.100.7');
    expect(answer(lists, SOFTPHONE, edge.trunk(TRUNK))).not.to.contain('198.51.100.7');
  });

  it('lets a trunk at which the engine registers call the engine, too', () => {
    const registering = edge.trunk({ ...TRUNK, registers: true });
    const objects = trunkObjects(registering, DEFAULTS);
    expect(objects.find(({ type }) => type === 'identify')?.fields.map(([name]) => name)).to.deep.equal([
      ...['endpoint', 'match_header', 'match'],
    ]);
    expect(objects.find(({ type }) => type === 'endpoint')?.fields).to.deep.include(['identify_by', 'header,ip']);
    const known = { softphone: () => undefined, trunk: () => registering, trunks: () => [registering] };
    const called = {
      'Channel-Name': 'sofia/hatif/100@hatif',
      variable_sip_network_ip: '198.51.100.7',
      variable_sip_network_port: '5060',
    };
    expect(sourceOf(called, known)).to.deep.equal({ type: 'trunk', trunkId: 'carrier' });
    const lists: Readonly<Record<string, string>> = { section: 'configuration', key_value: 'acl.conf' };
    const answer = freeswitchXml(
      { get: (field) => lists[field] ?? null },
      { softphone: () => undefined, trunks: () => [registering], probeSeconds: 30, phonesNeedTls: false, codecs: [] },
    );
    expect(answer).to.contain('198.51.100.7');
  });

  it('reports its registrations in place of the engine’s', async () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    Object.assign(engine, { capabilities: new Set([...engine.capabilities, 'mwi']) });
    const behind = edge.behind(engine);
    const events: EngineEvent[] = [];
    behind.start((event) => events.push(event));
    await memory.announce({ type: 'registration', aor: '1001', registered: true });
    expect(events.filter(({ type }) => type === 'registration.changed')).to.deep.equal([
      { type: 'registration.changed', aor: '1001', registered: true },
    ]);
    expect([...(await behind.registrations.registered())]).to.deep.equal(['1001']);
    expect(behind.kind).to.equal('simulator');
    expect(behind.status).to.deep.equal(engine.status);
    expect(engine.capabilities.has('mwi'), 'the engine could show messages').to.equal(true);
    expect(behind.capabilities.has('mwi'), 'the edge does').to.equal(false);
    await behind.stop();
    await memory.announce({ type: 'registration', aor: '1001', registered: false });
    expect(events.filter(({ type }) => type === 'registration.changed')).to.have.length(1);
  });

  it('finds changes whose announcement was lost', async () => {
    const behind = edge.behind(new SimulatorEngine({ clock }));
    const changes: string[] = [];
    behind.start((event) => {
      if (event.type === 'registration.changed') changes.push(`${event.aor} ${event.registered}`);
    });
    await clock.advance(5_000);
    registered = new Set(['1002']);
    await clock.advance(5_000);
    await clock.advance(5_000);
    expect(changes).to.deep.equal(['1001 true', '1001 false', '1002 true']);
    await behind.stop();
  });

  it('changes nothing as long as phones reach the engines directly', () => {
    const engine = new SimulatorEngine({ clock: new VirtualClock() });
    expect(directEdge.behind(engine)).to.equal(engine);
    expect(directEdge.softphone(SOFTPHONE)).to.equal(SOFTPHONE);
    expect(directEdge.trunk(TRUNK)).to.equal(TRUNK);
    expect([...directEdge.features]).to.deep.equal([]);
  });

  it('is the way to trunks, too, unless the engine registers at them', () => {
    const mark = carrierMark(TRUNK, (text) => `mac${text.length}`);
    expect(edge.trunk(TRUNK).exit).to.deep.equal({ host: '192.0.2.5', port: 5060, mark });
    expect(edge.features).to.equal(EDGE_FEATURES);
    const fieldsOf = (trunk: Trunk, type: string): readonly unknown[] =>
      trunkObjects(edge.trunk(trunk), DEFAULTS).find((object) => object.type === type)?.fields ?? [];
    expect(fieldsOf(TRUNK, 'aor')).to.deep.equal([['contact', 'sip:198.51.100.7:5060;transport=udp']]);
    expect(fieldsOf(TRUNK, 'endpoint')).to.deep.include(['outbound_proxy', 'sip:192.0.2.5:5060;lr']);
    // Asterisk has no transport for TLS behind the edge.
    expect(fieldsOf({ ...TRUNK, transport: 'tls' }, 'aor')).to.deep.equal([['contact', 'sip:198.51.100.7:5060']]);
    expect(exitVariables(edge.trunk(TRUNK))).to.deep.equal({ 'PJSIP_HEADER(add,X-Hatif-Trunk)': mark });
    for (const trunk of [
      { ...TRUNK, registers: true, isProbed: true },
      { ...TRUNK, isPeer: true },
    ]) {
      expect(edge.trunk(trunk)).not.to.have.property('exit');
      expect(exitVariables(edge.trunk(trunk))).to.deep.equal({});
    }
    expect(edge.trunk({ ...TRUNK, registers: true, isProbed: true }).isProbed, 'by the engine').to.equal(true);
    expect(fieldsOf({ ...TRUNK, registers: true }, 'endpoint')).to.deep.include(['outbound_proxy', '']);
    expect(fieldsOf({ ...TRUNK, registers: true }, 'aor')).to.deep.equal([['contact', 'sip:198.51.100.7:5060']]);
  });

  it('sends a call of FreeSWITCH to a trunk through itself, with the address and the mark of the trunk', async () => {
    const dialled = async (trunk: Trunk): ReturnType<typeof dialString> =>
      dialString(
        { type: 'trunk', trunkId: 'carrier', number: '+442071838750' },
        () => trunk,
        () => Promise.reject(new Error('no phone is called')),
        { phonesNeedTls: false, phones: 'off', trunks: 'required' },
      );
    const tls = edge.trunk({ ...TRUNK, port: 5061, transport: 'tls' });
    expect(await dialled(tls)).to.deep.equal({
      target: 'sofia/hatif/+442071838750@192.0.2.5:5060;transport=udp',
      variables: {
        sip_invite_req_uri: 'sip:+442071838750@198.51.100.7:5061;transport=tls',
        sip_invite_to_uri: 'sip:+442071838750@198.51.100.7:5061',
        sip_route_uri: 'sip:192.0.2.5:5060;transport=udp',
        'sip_h_X-Hatif-Trunk': tls.exit!.mark,
        rtp_secure_media_outbound: 'mandatory',
      },
    });
    const { target } = await dialled(edge.trunk({ ...TRUNK, registers: true }));
    expect(target).to.equal('sofia/hatif/+442071838750@198.51.100.7:5060;transport=udp');
  });

  it('knows whether trunks answer that it probes in place of the engine', async () => {
    const behind = edge.behind(new SimulatorEngine({ clock }));
    const trunk = (trunkId: string, more: Partial<Trunk> = {}): Promise<void> =>
      behind.trunks.put({ ...TRUNK, trunkId, isProbed: true, ...more });
    await trunk('a');
    await trunk('b');
    await trunk('silent', { isProbed: false });
    await memory.write(trunkStateKey('a'), 'down', 1_000);
    expect([...(await behind.trunks.states())]).to.deep.equal([
      ['a', 'down'],
      ['b', 'unknown'],
    ]);
    await behind.trunks.remove('a');
    await trunk('b', { isProbed: false });
    expect([...(await behind.trunks.states())]).to.deep.equal([]);
  });

  it('takes TLS for Asterisk, which encrypts the audio all the same', () => {
    const security: SipSecurity = { phonesNeedTls: true, phones: 'required', trunks: 'required' };
    const fieldsOf = (objects: ReturnType<typeof softphoneObjects>): unknown =>
      objects.find(({ type }) => type === 'endpoint')?.fields;
    const defaults = { ...DEFAULTS, security };
    const phone = fieldsOf(softphoneObjects(edge.softphone(SOFTPHONE), defaults));
    expect(phone).to.deep.include(['context', 'hatif-agent']).and.deep.include(['transport', '']);
    expect(phone).to.deep.include(['media_encryption', 'sdes']);
    const trunk = fieldsOf(trunkObjects(edge.trunk({ ...TRUNK, transport: 'tls' }), defaults));
    expect(trunk).to.deep.include(['context', 'hatif-trunk']).and.deep.include(['media_encryption', 'sdes']);
  });
});
