import { expect } from 'chai';
import { carrierMark, carrierTransport, TRUNK_HEADER } from '../../../core/model/edge-mark.js';
import type { HostPort } from '../../../core/model/host-port.js';
import { NO_SIP_SECURITY } from '../../../core/model/sip-security.js';
import { trunkStateIn, trunkStateKey } from '../../../core/ports/sip/memory.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { EdgeCalls } from '../../../sip/calls/calls.js';
import { CarrierProbes } from '../../../sip/calls/carrier-probes.js';
import { SipText } from '../../../sip/message/text.js';
import { carrierFlow } from '../../../sip/relay/carriers.js';
import type { Hidden } from '../../../sip/relay/hiding.js';
import { Outwards, type Callee } from '../../../sip/relay/outwards.js';
import { Seal } from '../../../sip/relay/seal.js';
import type { Outgoing } from '../../../sip/relay/step.js';
import { Tokens } from '../../../sip/relay/tokens.js';
import { quiet } from '../../support/logger.js';
import { ownMemory } from '../../support/peers/sip/memory.js';
import { sipRequest } from '../../support/peers/sip/request.js';
import { trunkRow } from '../../support/rows/trunk-row.js';

const mac = (text: string): string => Buffer.from(text).toString('base64url');
const [ENGINE, DRACHTIO, RELAY] = [
  { host: '10.0.0.9', port: 5080 },
  { host: '127.0.0.1', port: 5060 },
  { host: '10.0.0.5', port: 5090 },
] as const;
const HIDDEN: Hidden = { host: '203.0.113.5', inside: [RELAY.host, ENGINE.host], media: null };
const CARRIER = { trunkId: 't1', host: 'sip.carrier.example', port: 5061, transport: 'tls' } as const;
const MARK = carrierMark(CARRIER, mac);
const SDP = ['v=0', 'o=- 1 1 IN IP4 10.0.0.9', 's=Asterisk', 'c=IN IP4 10.0.0.9', ''].join('\r\n');

const tokens = new Tokens(new Seal(mac));
const callees: Callee[] = [];
const outwards = new Outwards({
  ...{ seal: new Seal(mac), tokens, inside: RELAY, outside: { host: '127.0.0.1', port: 5090 } },
  drachtio: () => DRACHTIO,
  transportOf: (mark, to) => carrierTransport(mark, to, mac),
  isNear(callee) {
    callees.push(callee);
    return Promise.resolve(false);
  },
  flowOf: () => Promise.resolve(null),
});

function request(start: string, fields: readonly string[], body = ''): SipText {
  const [method = ''] = start.split(' ');
  const all = [
    ...['Via: SIP/2.0/UDP 10.0.0.9:5080;branch=z9hG4bKe1;rport', 'From: <sip:+966112345678@10.0.0.9>;tag=here'],
    ...['Call-ID: c1', `CSeq: 1 ${method}`, ...fields],
  ];
  return SipText.parse(Buffer.from([`${start} SIP/2.0`, ...all, '', body].join('\r\n'), 'latin1'))!;
}

const URI = 'sip:+442071838750@sip.carrier.example:5061';
const invite = (more: readonly string[] = [`${TRUNK_HEADER}: ${MARK}`], uri = URI): SipText =>
  request(
    `INVITE ${uri}`,
    [
      ...[`To: <${uri}>`, 'Contact: <sip:asterisk@10.0.0.9:5080>', 'Route: <sip:10.0.0.5:5090;lr>'],
      ...['User-Agent: Asterisk PBX 22', 'Content-Type: application/sdp', ...more],
    ],
    SDP,
  );
const passedOn = async (text: SipText, source: HostPort = ENGINE): Promise<Outgoing> =>
  (await outwards.request(text, source, HIDDEN))!;
const userOf = (uri: string): string => /^sip:([^@]+)@/.exec(uri)![1]!;
const branchOf = (text: SipText): string | undefined => /branch=([^;]+)/.exec(text.all('via')[0] ?? '')?.[1];

function answered(text: SipText, contact: string): SipText {
  const kept = ['via', 'from', 'call-id', 'cseq'].flatMap((name) => text.all(name).map((value) => `${name}: ${value}`));
  const all = [
    ...['SIP/2.0 200 OK', ...kept, `To: ${text.first('to')};tag=there`, `Contact: <${contact}>`],
    ...['Record-Route: <sip:203.0.113.5:5061;transport=tls;lr>', '', ''],
  ];
  return SipText.parse(Buffer.from(all.join('\r\n'), 'latin1'))!;
}

describe('the mark of a call to a carrier', () => {
  it('is genuine for the address of its trunk only', () => {
    expect(carrierTransport(MARK, CARRIER, mac)).to.equal('tls');
    expect(carrierTransport(MARK, { ...CARRIER, host: 'SIP.Carrier.example' }, mac)).to.equal('tls');
    for (const to of [
      { ...CARRIER, port: 5060 },
      { ...CARRIER, host: 'other.example' },
    ]) {
      expect(carrierTransport(MARK, to, mac), `${to.host}:${to.port}`).to.equal(null);
    }
    const [id, transport, seal] = MARK.split('/');
    for (const mark of [
      '',
      `${id}/udp/${seal}`,
      `t2/${transport}/${seal}`,
      `${id}/${transport}/guessed`,
      `${id}/ws/x`,
    ]) {
      expect(carrierTransport(mark, CARRIER, mac), mark).to.equal(null);
    }
    expect(carrierTransport(MARK, CARRIER, (text) => `other ${text}`)).to.equal(null);
  });
});

describe('the relay, for a call to a carrier', () => {
  it('passes it to the edge, and shows nothing of the engine', async () => {
    const { message, to } = await passedOn(invite());
    expect(to).to.deep.equal(DRACHTIO);
    expect(message.uri).to.match(/^sip:[\w-]+@127\.0\.0\.1:5060$/);
    expect(tokens.read('carrier', userOf(message.uri))).to.deep.equal({ uri: `${URI};transport=tls` });
    expect(message.first('to')).to.equal(`<${URI}>`);
    expect(message.first('from')).to.equal('<sip:+966112345678@203.0.113.5>;tag=here');
    expect(message.all('route')).to.deep.equal([]);
    const [head = ''] = message.toBuffer().toString().split('\r\n\r\n');
    expect(head).not.to.match(/x-hatif|asterisk|10\.0\.0\./i);
    expect(callees.at(-1)).to.include({ aor: '', host: CARRIER.host });
  });

  it('leaves a transport that the engine names', async () => {
    const udp = { ...CARRIER, port: 5060, transport: 'udp' } as const;
    const marked = [`${TRUNK_HEADER}: ${carrierMark(udp, mac)}`];
    const uri = 'sip:+442071838750@sip.carrier.example:5060;transport=udp';
    const { message } = await passedOn(invite(marked, uri));
    expect(tokens.read('carrier', userOf(message.uri))).to.deep.equal({ uri });
  });

  it('refuses one that is not marked for its address', async () => {
    for (const [mark, uri] of [
      ['t1/tls/guessed', URI],
      [MARK, 'sip:+442071838750@other.example:5061'],
      [MARK, 'sip:+442071838750@sip.carrier.example'],
    ] as const) {
      const { message, to } = await passedOn(invite([`${TRUNK_HEADER}: ${mark}`], uri));
      expect([message.status, to], `${mark} ${uri}`).to.deep.equal([404, ENGINE]);
    }
    // Without any mark, the edge looks for a phone.
    expect((await passedOn(invite([]))).message.uri).to.equal('sip:+442071838750@127.0.0.1:5060');
  });

  it('keeps the address of a carrier in a private network, and no engine’s', async () => {
    const lan = { trunkId: 't2', host: '10.20.0.7', port: 5060, transport: 'udp' } as const;
    const named = ['P-Asserted-Identity: <sip:+966112345678@10.20.0.7>', 'Diversion: <sip:1@10.0.0.9>;reason=unknown'];
    const uri = 'sip:+442071838750@10.20.0.7:5060';
    const { message } = await passedOn(invite([`${TRUNK_HEADER}: ${carrierMark(lan, mac)}`, ...named], uri));
    expect(message.first('to')).to.equal(`<${uri}>`);
    expect(message.first('p-asserted-identity')).to.equal('<sip:+966112345678@10.20.0.7>');
    expect(message.first('diversion')).to.equal('<sip:1@203.0.113.5>;reason=unknown');
  });

  it('passes a CANCEL on with the same branch, although it has no mark', async () => {
    const cancel = request(`CANCEL ${URI}`, [`To: <${URI}>`, 'Route: <sip:10.0.0.5:5090;lr>']);
    const [{ message: one }, { message: other }] = [await passedOn(invite()), await passedOn(cancel)];
    expect(branchOf(other)).to.equal(branchOf(one));
  });

  it('hides credentials from drachtio-server, and the edge shows them to the carrier', async () => {
    const proxy = 'Digest username="hatif", realm="carrier", nonce="n1", uri="sip:10.0.0.9"';
    const server = ['Digest realm="a", nonce="1"', 'Digest realm="b", nonce="2"'];
    const given = [
      `${TRUNK_HEADER}: ${MARK}`,
      `Proxy-Authorization: ${proxy}`,
      ...server.map((one) => `Authorization: ${one}`),
    ];
    const { message } = await passedOn(invite(given));
    expect(message.toBuffer().toString()).not.to.match(/digest|authorization/i);
    expect(message.first('content-type')).to.match(/^application\/sdp;h=[\w-]+$/);
    const calls = new EdgeCalls({
      ...{ tokens, mac, relay: RELAY, monotonicMs: () => 0, delayMs: () => 0, log: quiet, emergency: new Set() },
      ...{ security: NO_SIP_SECURITY, isNear: () => false, reaches: () => Promise.resolve(true) },
      directory: { forNewCall: () => [], passedTo: () => undefined },
      location: { of: () => Promise.resolve([]), drop: () => Promise.resolve() },
      admission: { admits: () => Promise.resolve(false) },
      probe: { probe: () => Promise.resolve(false) },
    });
    const type = `Content-Type: ${message.first('content-type')}`;
    const received = sipRequest(`INVITE ${message.uri}`, [type], undefined, SDP);
    await calls.fromEngine(received);
    expect(received.outcomes).to.deep.equal([
      {
        did: 'proxied',
        targets: [{ uri: `${URI};transport=tls`, path: [] }],
        headers: { 'Content-Type': 'application/sdp', Authorization: server, 'Proxy-Authorization': [proxy] },
      },
    ]);
  });

  it('brings later requests to the contact of the carrier, over the transport of the call', async () => {
    const { message } = await passedOn(invite());
    const contact = 'sip:gw1@192.0.2.80:5071';
    const { message: ok } = outwards.response(answered(message, contact), DRACHTIO)!;
    const bye = request(`BYE ${contact}`, [`To: <${URI}>;tag=there`, `Route: ${ok.all('record-route').at(-1)}`]);
    expect((await passedOn(bye)).message.uri).to.equal(`${contact};transport=tls`);
  });
});

describe('where later requests for a carrier go', () => {
  const called = 'sip:+1@192.0.2.7:5060;transport=udp';
  for (const [contact, to, expected] of [
    ['sip:gw@192.0.2.80:5070', called, ''],
    ['sip:gw@192.0.2.80:5070;transport=tcp', called, ''],
    ['sip:gw@10.0.0.2:5070', called, 'sip:gw@192.0.2.7:5060;transport=udp'],
    ['sip:10.0.0.2', called, 'sip:192.0.2.7:5060;transport=udp'],
    ['sip:gw@10.0.0.2:5070', 'sip:+1@10.0.0.1:5060;transport=udp', ''],
    ['sip:gw@192.0.2.80', 'sip:+1@192.0.2.7:5061;transport=tls', 'sip:gw@192.0.2.80:5061;transport=tls'],
    ['sip:gw@192.0.2.80:5060;transport=tls', 'sip:+1@192.0.2.7:5061;transport=tls', ''],
    ['sips:gw@192.0.2.80', 'sip:+1@192.0.2.7:5061;transport=tls', ''],
    ['nonsense', called, ''],
  ] as const) {
    it(`for ${contact}, after a call to ${to}: ${expected === '' ? 'there' : expected}`, () => {
      expect(carrierFlow(contact, to)).to.equal(expected);
    });
  }
});

describe('the edge asks carriers whether they are there', () => {
  it('at intervals, beginning within the first one, and shares what they answer', async () => {
    const [memory, clock, asked] = [ownMemory(), new VirtualClock(), [] as string[]];
    let wait = 0;
    let trunks = [trunkRow('a', { id: 'a', host: 'a.example' }), trunkRow('b', { id: 'b', host: 'b.example' })];
    const statuses = new Map<string, number | null>([
      ['a.example', 404],
      ['b.example', null],
      ['c.example', 503],
    ]);
    const probes = new CarrierProbes({
      directory: { probed: () => trunks },
      ...{ memory, clock, everyMs: 30_000, random: () => wait },
      send(method, { uri }) {
        asked.push(`${method} ${uri}`);
        return Promise.resolve(statuses.get(/@?([a-z.]+):/.exec(uri.slice(4))![1]!) ?? null);
      },
    });
    const states = async (): Promise<string[]> =>
      Promise.all(['a', 'b'].map(async (id) => trunkStateIn(await memory.read(trunkStateKey(id)))));
    const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    expect(await states()).to.deep.equal(['unknown', 'unknown']);
    probes.askDue();
    await settled();
    expect(asked.splice(0)).to.deep.equal([
      'OPTIONS sip:a.example:5080;transport=udp',
      'OPTIONS sip:b.example:5080;transport=udp',
    ]);
    expect(await states()).to.deep.equal(['up', 'down']);
    await clock.advance(10_000);
    statuses.set('a.example', 408);
    trunks = [trunks[0]!, trunkRow('b', { id: 'b', host: 'c.example', transport: 'tcp' })];
    wait = 0.5;
    probes.askDue();
    expect(asked).to.deep.equal([]);
    await clock.advance(20_000);
    probes.askDue();
    await settled();
    expect(asked).to.deep.equal([
      'OPTIONS sip:a.example:5080;transport=udp',
      'OPTIONS sip:c.example:5080;transport=tcp',
    ]);
    expect(await states()).to.deep.equal(['down', 'down']);
  });
});
