import { expect } from 'chai';
import type { SipContactRow } from '../../../core/data/rows.js';
import { EDGE_HEADER, edgeMark } from '../../../core/model/edge-mark.js';
import { NO_SIP_SECURITY } from '../../../core/model/sip-security.js';
import { EdgeCalls, type EdgeCallsOptions } from '../../../sip/calls/calls.js';
import type { EngineTarget } from '../../../sip/calls/directory.js';
import { currentFlow, isReachable, onePerPhone, targetOf } from '../../../sip/calls/targets.js';
import { RELAY_HEADER } from '../../../sip/message/own-fields.js';
import { Seal } from '../../../sip/relay/seal.js';
import { Tokens, type Token } from '../../../sip/relay/tokens.js';
import { quiet } from '../../support/logger.js';
import { contactRow, PHONE, ROUTE, sipRequest, type SipOutcome } from '../../support/peers/sip/request.js';

const CONTACT = `Contact: <sip:1001@${PHONE.host}:${PHONE.port}>`;
const mac = (text: string): string => `mac-of-${text.replace('/', '-')}`;
const tokens = new Tokens(new Seal(mac));
/** What the tests do not look at. */
const USUAL = {
  ...{ tokens, mac, relay: { host: '127.0.0.1', port: 5090 }, monotonicMs: () => 0, delayMs: () => 0, log: quiet },
  admission: { admits: () => Promise.resolve(true) },
  probe: { probe: () => Promise.resolve(true) },
  emergency: new Set(['911']),
  security: NO_SIP_SECURITY,
  isNear: (host: string) => host.startsWith('10.'),
  reaches: () => Promise.resolve(true),
} satisfies Partial<EdgeCallsOptions>;

describe('where a phone is called', () => {
  const udp = PHONE;
  for (const [uri, source, expected] of [
    ['sip:1001@192.0.2.10:5062', udp, true],
    ['sip:1001@192.0.2.10:5062;transport=udp', udp, true],
    ['sip:1001@192.0.2.10', { ...udp, port: 5060 }, true],
    ['sip:1001@192.0.2.10', udp, false],
    ['sip:1001@10.0.0.5:5062', udp, false],
    ['sip:1001@192.0.2.10:5062;transport=tcp', udp, false],
    ['sip:1001@192.0.2.10:5062;transport=tcp', { ...udp, port: 49_152, transport: 'tcp' }, true],
    ['sip:1001@192.0.2.10;transport=tcp', { ...udp, transport: 'tcp' }, false],
    ['sip:1001@192.0.2.10:5062;transport=tls', { ...udp, transport: 'tls' }, false],
    ['sips:1001@192.0.2.10:5062', udp, false],
    ['sip:x@f3k2.invalid;transport=ws', { ...udp, transport: 'ws' }, false],
    ['nonsense', udp, false],
  ] as const) {
    it(`${uri} from ${source.host}:${source.port}/${source.transport} is ${expected ? '' : 'not '}reachable`, () => {
      expect(isReachable(uri, source)).to.equal(expected);
    });
  }

  it('is its contact, else where it sends from, else behind its path', () => {
    expect(targetOf(contactRow())).to.deep.equal({ uri: 'sip:1001@192.0.2.10:5062', path: [] });
    const web = { uri: 'sip:abc@f3k2.invalid;transport=ws', transport: 'ws', source_port: 49_200 } as const;
    expect(targetOf(contactRow(web))).to.deep.equal({
      uri: 'sip:abc@192.0.2.10:49200;transport=ws',
      path: [],
    });
    expect(targetOf(contactRow({ source_host: '2001:db8::1' })).uri).to.equal(
      'sip:1001@[2001:db8::1]:5062;transport=udp',
    );
    const path = ['sip:p1.example;lr'];
    expect(targetOf(contactRow({ path }))).to.deep.equal({ uri: 'sip:1001@192.0.2.10:5062', path });
  });

  it('is where its phone connected again, found by its contact', async () => {
    const uri = 'sip:x7f@10.0.0.5:40000;transport=tls';
    const row = contactRow({ uri, key: 'a', transport: 'tls', source_port: 52_000 });
    const flowTo = (contact: string, ...rows: SipContactRow[]): Promise<string | null> =>
      currentFlow({ of: () => Promise.resolve(rows) }, '1001', contact);
    const expected = 'sip:x7f@192.0.2.10:52000;transport=tls';
    expect(await flowTo(uri, row)).to.equal(expected);
    expect(await flowTo('sip:x7f@10.0.0.5:39999;transport=tls', row), 'another port').to.equal(expected);
    expect(await flowTo('sip:other@10.0.0.5:40000;transport=tls', row), 'another user part').to.equal(expected);
    expect(await flowTo('sip:other@10.0.0.5:40001;transport=tls', row)).to.equal(null);
    expect(await flowTo('nonsense', row)).to.equal(null);
    const same = { ...row, key: 'b', uri: 'sip:x7f@10.0.0.6:40000;transport=tls' };
    expect(await flowTo('sip:x7f@10.0.0.7;transport=tls', row, same), 'two phones').to.equal(null);
    expect(await flowTo(same.uri, row, same)).to.equal(expected);
    const instance = '<urn:uuid:f81d4fae>';
    const named = { ...same, instance };
    expect(await flowTo('sip:1001@web;gr=urn:uuid:f81d4fae', row, named), 'a GRUU').to.equal(expected);
    expect(await flowTo('sip:1001@web;gr=urn:uuid:other', row, named)).to.equal(null);
    expect(await flowTo(uri, { ...row, path: ['sip:p1.example;lr'] })).to.equal(null);
  });

  it('is the last flow of several of one phone', () => {
    const instance = '<urn:uuid:1>';
    const flows = [contactRow({ instance, key: '1' }), contactRow({ key: '2' }), contactRow({ instance, key: '3' })];
    expect(onePerPhone(flows).map(({ key }) => key)).to.deep.equal(['1', '2']);
  });
});

describe('a call of a phone', () => {
  const ENGINES: readonly EngineTarget[] = [
    { id: 'one', name: 'one', kind: 'asterisk', host: '192.0.2.1', port: 5080, isFull: false },
    { id: 'two', name: 'two', kind: 'freeswitch', host: '192.0.2.2', port: 5080, isFull: false },
  ];
  let probed: string[];
  let passed: string[];
  let now = 0;
  const silent = new Set<string>();
  const late = new Set<string>();
  const full = new Set<string>();

  const calls = new EdgeCalls({
    ...USUAL,
    directory: { forNewCall: () => ENGINES, passedTo: (id) => void passed.push(id) },
    admission: { admits: ({ id }) => Promise.resolve(!full.has(id)) },
    location: { of: () => Promise.resolve([]), drop: () => Promise.resolve() },
    probe: {
      probe(host) {
        probed.push(host);
        if (late.has(host)) now += 300;
        return Promise.resolve(!silent.has(host));
      },
    },
    monotonicMs: () => now,
  });
  const invite = (
    contact = CONTACT,
    more: readonly string[] = [],
    number = '+966115550100',
  ): ReturnType<typeof sipRequest> => sipRequest(`INVITE sip:${number}@hatif`, [contact, ...more]);
  /** What the relay reads. */
  const tokenIn = (outcome: SipOutcome | undefined): Token<'call'> | null =>
    tokens.read('call', outcome?.did === 'proxied' ? String(outcome.headers[RELAY_HEADER]) : null);
  beforeEach(() => {
    [probed, passed] = [[], []];
    now += 1_000;
    silent.clear();
    late.clear();
    full.clear();
  });

  it('is refused while nothing is in time, unless it is an emergency', async () => {
    const did = async (waitedMs: number, number?: string): Promise<string> => {
      const request = { ...invite(CONTACT, [], number), waitedMs };
      await calls.toEngine(request, { type: 'softphone', id: '1001' });
      const [outcome] = request.outcomes;
      return outcome?.did === 'answered' ? String(outcome.status) : String(outcome?.did);
    };
    expect(await did(300), 'one slow moment').to.equal('proxied');
    now += 999;
    expect(await did(300)).to.equal('proxied');
    now += 1;
    expect(await did(300), 'late for a second').to.equal('503');
    expect(await did(5_000, '911')).to.equal('proxied');
    expect(await did(200), 'in time').to.equal('proxied');
    expect(await did(300), 'still overloaded').to.equal('503');
    now += 5_001;
    expect(await did(300), 'nothing was late for five seconds').to.equal('proxied');
  });

  it('passes over an engine that has answered late for a second, unless it is an emergency', async () => {
    late.add('192.0.2.1');
    for (let times = 0; times < 7; times += 1) {
      now += 100;
      await calls.toEngine(invite(), { type: 'softphone', id: '1001' });
    }
    expect([passed[0], passed.at(-1)], 'at first and in the end').to.deep.equal(['one', 'two']);
    await calls.toEngine(invite(CONTACT, [], '911'), { type: 'softphone', id: '1001' });
    expect(passed.at(-1)).to.equal('one');
  });

  it('goes to the first engine that answers, with the mark of its phone', async () => {
    const request = invite();
    await calls.toEngine(request, { type: 'softphone', id: '1001' });
    const [outcome] = request.outcomes;
    const uri = 'sip:+966115550100@192.0.2.1:5080';
    expect(tokenIn(outcome)).to.deep.equal({ uri, route: ROUTE, aor: '1001', flow: '', near: '' });
    if (outcome?.did !== 'proxied') throw new Error('not proxied');
    expect(outcome.headers[EDGE_HEADER]).to.equal(edgeMark({ type: 'softphone', id: '1001' }, mac));
    // A CANCEL has the address only.
    const token = String(outcome.headers[RELAY_HEADER]);
    expect(outcome.targets).to.deep.equal([{ uri: `sip:${token}@127.0.0.1:5090;transport=udp`, path: [] }]);
    expect(passed).to.deep.equal(['one']);
  });

  it('passes over a silent engine, and is refused when all are silent', async () => {
    silent.add('192.0.2.1');
    const request = invite();
    await calls.toEngine(request, { type: 'trunk', id: 'carrier' });
    expect(probed).to.deep.equal(['192.0.2.1', '192.0.2.2']);
    expect(passed).to.deep.equal(['two']);
    now += 1_000;
    silent.add('192.0.2.2');
    const refused = invite();
    await calls.toEngine(refused, { type: 'trunk', id: 'carrier' });
    expect(refused.outcomes[0]).to.include({ did: 'answered', status: 503 });
  });

  it('does not ask an engine again that answered just now', async () => {
    for (const ms of [0, 50, 100]) {
      now += ms;
      await calls.toEngine(invite(), { type: 'softphone', id: '1001' });
    }
    expect(probed).to.have.length(2);
  });

  it('is reached where it sends from if it is behind a NAT, and where its proxy sends if one stays in the way', async () => {
    const behindNat = invite('Contact: <sip:1001@10.0.0.5:5062>');
    await calls.toEngine(behindNat, { type: 'softphone', id: '1001' });
    expect(tokenIn(behindNat.outcomes[0])?.flow).to.equal('sip:1001@192.0.2.10:5062;transport=udp');
    const behindProxy = invite('Contact: <sip:1001@10.0.0.5:5062>', ['Record-Route: <sip:p1.example;lr>']);
    await calls.toEngine(behindProxy, { type: 'softphone', id: '1001' });
    expect(tokenIn(behindProxy.outcomes[0])).to.include({ aor: '', flow: '' });
    const ofTrunk = invite();
    await calls.toEngine(ofTrunk, { type: 'trunk', id: 'carrier' });
    expect(tokenIn(ofTrunk.outcomes[0])).to.include({ aor: '', flow: '' });
  });

  it('is refused while every engine is full, unless it is for an emergency number', async () => {
    full.add('one');
    await calls.toEngine(invite(), { type: 'softphone', id: '1001' });
    expect(passed).to.deep.equal(['two']);
    full.add('two');
    const refused = invite();
    await calls.toEngine(refused, { type: 'softphone', id: '1001' });
    expect(refused.outcomes[0]).to.include({ did: 'answered', status: 503 });
    await calls.toEngine(invite(CONTACT, [], '911'), { type: 'softphone', id: '1001' });
    expect(passed).to.deep.equal(['two', 'one']);
    expect(probed, 'a refused call costs no engine anything').to.have.length(2);
  });

  it('without a number is refused', async () => {
    const request = sipRequest('INVITE sip:hatif', [CONTACT]);
    await calls.toEngine(request, { type: 'softphone', id: '1001' });
    expect(request.outcomes[0]).to.include({ did: 'answered', status: 404 });
  });
});

describe('a call of an engine', () => {
  const URN = 'urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6';
  const closed = new Set<string>();
  const dropped: string[] = [];
  const ringing = async (
    rows: readonly SipContactRow[],
    uri = 'sip:1001@hatif',
    security = NO_SIP_SECURITY,
    body = '',
  ): Promise<unknown> => {
    const calls = new EdgeCalls({
      ...{ ...USUAL, security },
      directory: { forNewCall: () => [], passedTo: () => undefined },
      location: {
        of: (aor) => Promise.resolve(aor === '1001' ? rows : []),
        drop: ({ key }) => Promise.resolve(void dropped.push(key)),
      },
      reaches: ({ uri: at }) => Promise.resolve(!closed.has(at)),
    });
    const request = sipRequest(`INVITE ${uri}`, [], PHONE, body);
    await calls.fromEngine(request);
    expect(request.outcomes).to.have.length(1);
    const [outcome] = request.outcomes;
    if (outcome?.did === 'answered') return outcome.status;
    return outcome?.did === 'ignored' ? null : [outcome?.did, outcome?.targets.map((target) => target.uri)];
  };
  const web = { uri: 'sip:abc@f3k2.invalid;transport=ws', transport: 'ws', key: 'web', source_port: 49_200 } as const;

  it('rings every phone of the softphone', async () => {
    const other = contactRow({ uri: 'sip:1001@192.0.2.11:5062', source_host: '192.0.2.11' });
    expect(await ringing([contactRow(), other])).to.deep.equal([
      'proxied',
      ['sip:1001@192.0.2.10:5062', 'sip:1001@192.0.2.11:5062'],
    ]);
    expect(await ringing([contactRow(), contactRow(web)])).to.deep.equal([
      'proxied',
      ['sip:1001@192.0.2.10:5062', 'sip:abc@192.0.2.10:49200;transport=ws'],
    ]);
    const path = ['sip:p1.example;lr'];
    expect(await ringing([contactRow({ path })])).to.deep.equal(['bridged', ['sip:1001@192.0.2.10:5062']]);
  });

  it('rings no phone whose WebSocket is closed, and forgets it', async () => {
    closed.add('sip:abc@192.0.2.10:49200;transport=ws').add('sip:1001@192.0.2.10:5062');
    expect(await ringing([contactRow(), contactRow(web)])).to.deep.equal(['proxied', ['sip:1001@192.0.2.10:5062']]);
    expect(await ringing([contactRow(web)])).to.equal(480);
    closed.clear();
    expect(dropped, 'only phones at WebSockets are asked').to.deep.equal(['web', 'web']);
  });

  it('goes to the carrier that its address seals, with keys over TLS only', async () => {
    const to = (uri: string, body = ''): Promise<unknown> =>
      ringing([], `sip:${tokens.write('carrier', { uri })}@hatif`, NO_SIP_SECURITY, body);
    const [udp, tls] = ['udp', 'tls'].map((way) => `sip:+442071838750@sip.carrier.example:5080;transport=${way}`);
    const keys = 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:x\r\n';
    expect(await to(udp!)).to.deep.equal(['proxied', [udp]]);
    expect(await to(tls!, keys)).to.deep.equal(['proxied', [tls]]);
    expect(await to(udp!, keys)).to.equal(488);
  });

  it('rings the one phone that its address names', async () => {
    const named = contactRow({ instance: `<${URN}>`, uri: 'sip:1001@192.0.2.10:5062;x=1' });
    expect(await ringing([contactRow(), named], `sip:1001@hatif;gr=${URN}`)).to.deep.equal([
      'proxied',
      ['sip:1001@192.0.2.10:5062;x=1'],
    ]);
    expect(await ringing([contactRow()], `sip:1001@hatif;gr=${URN}`)).to.equal(480);
  });

  it('rings no phone without TLS where phones need it', async () => {
    const secure = contactRow({ uri: 'sip:1001@192.0.2.10:5061;transport=tls', transport: 'tls' });
    const security = { ...NO_SIP_SECURITY, phonesNeedTls: true };
    expect(await ringing([contactRow(), secure], 'sip:1001@hatif', security)).to.deep.equal([
      'proxied',
      [targetOf(secure).uri],
    ]);
    expect(await ringing([contactRow()], 'sip:1001@hatif', security)).to.equal(480);
  });

  it('is refused if no phone is registered, and without a user', async () => {
    expect(await ringing([])).to.equal(480);
    expect(await ringing([contactRow()], 'sip:1002@hatif')).to.equal(480);
    expect(await ringing([contactRow()], 'sip:hatif')).to.equal(404);
    expect(await ringing([contactRow()], 'nonsense')).to.equal(404);
  });
});
