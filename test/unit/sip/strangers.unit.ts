import { expect } from 'chai';
import type { SipRefusalRow } from '../../../core/data/rows.js';
import { isPrivateAddress, networkOf } from '../../../core/model/sip-network.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { Admission } from '../../../sip/calls/admission.js';
import { isAcceptable } from '../../../sip/calls/encryption.js';
import { NetworkRules } from '../../../sip/guards/network-rules.js';
import { RefusalCounts } from '../../../sip/guards/refusals.js';
import { Tarpit } from '../../../sip/guards/tarpit.js';
import { ownMemory } from '../../support/peers/sip/memory.js';

describe('networks and countries', () => {
  it('have one form', () => {
    for (const [text, form] of [
      ['192.0.2.77/24', '192.0.2.0/24'],
      ['192.0.2.77', '192.0.2.77'],
      ['::ffff:192.0.2.77', '192.0.2.77'],
      ['2001:DB8::0001', '2001:db8::1'],
      ['2001:db8:1::7/48', '2001:db8:1::/48'],
      ['sa', 'SA'],
      ['GB', 'GB'],
    ]) {
      expect(networkOf(text!), text).to.equal(form);
    }
    for (const text of [
      '',
      'XX',
      'EU',
      'S',
      'SAU',
      'host.example',
      '192.0.2.0/33',
      '300.1.1.1',
      '192.0.2.0/24/1',
      ' SA',
    ]) {
      expect(networkOf(text), text).to.equal(null);
    }
  });

  it('of private networks are in no country', () => {
    for (const address of ['10.0.0.1', '192.168.1.1', '127.0.0.1', '::1', 'fd00::1', '100.64.0.1', 'nowhere']) {
      expect(isPrivateAddress(address), address).to.equal(true);
    }
    for (const address of ['8.8.8.8', '2a00::1']) expect(isPrivateAddress(address), address).to.equal(false);
  });

  const rules = (...listed: readonly (readonly [string, 'allow' | 'deny'])[]): NetworkRules =>
    new NetworkRules(
      listed.map(([network, rule]) => ({ network, rule, note: null, created_at: new Date() })),
      { of: (address) => (address.startsWith('5.') ? 'SA' : address.startsWith('6.') ? 'SY' : null) },
    );

  it('follow the smallest network with an address', () => {
    const listed = rules(['198.51.100.0/24', 'deny'], ['198.51.100.7', 'allow'], ['2001:db8::/32', 'deny']);
    expect(listed.ruleOf('198.51.100.7')).to.equal('allow');
    expect(listed.ruleOf('198.51.100.8')).to.equal('deny');
    expect(listed.ruleOf('2001:db8::9')).to.equal('deny');
    expect(listed.ruleOf('192.0.2.1')).to.equal(null);
    expect(listed.hasCountries).to.equal(false);
  });

  it('serve all countries but the denied ones, or the allowed ones only', () => {
    const denied = rules(['SY', 'deny']);
    expect(['5.1.1.1', '6.1.1.1', '7.1.1.1'].map((each) => denied.isCountryServed(each))).to.deep.equal([
      true,
      false,
      true,
    ]);
    const allowed = rules(['SA', 'allow']);
    expect(['5.1.1.1', '6.1.1.1', '7.1.1.1'].map((each) => allowed.isCountryServed(each))).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect(allowed.isCountryServed('192.168.1.1'), 'a private address').to.equal(true);
  });
});

describe('the tarpit', () => {
  const guess = { host: '203.0.113.9', port: 5060, transport: 'udp' } as const;
  let clock: VirtualClock;
  let tarpit: Tarpit;
  let delayed: number;
  beforeEach(() => {
    [clock, delayed] = [new VirtualClock(), 0];
    tarpit = new Tarpit({ clock, observe: () => (delayed += 1) });
  });
  async function pauseOf(source = guess): Promise<number> {
    const startedMs = clock.monotonicMs();
    const waited = tarpit.wait(source);
    await clock.step();
    await waited;
    return clock.monotonicMs() - startedMs;
  }

  it('lets who guesses wait longer each time, and a typing error not at all', async () => {
    const pauses: number[] = [];
    for (let time = 0; time < 7; time += 1) {
      tarpit.sawWrongPassword(guess);
      pauses.push(await pauseOf());
    }
    expect(pauses).to.deep.equal([0, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
    expect(delayed).to.equal(6);
    expect(await pauseOf({ ...guess, host: '203.0.113.10' } as never), 'of another address').to.equal(0);
    tarpit.forgive(guess);
    expect(await pauseOf()).to.equal(0);
  });

  it('holds a limited number of requests, and lets no more wait', async () => {
    for (let time = 0; time < 5; time += 1) tarpit.sawWrongPassword(guess);
    const waiting = Array.from({ length: 1_000 }, () => tarpit.wait(guess));
    expect(await tarpit.wait(guess)).to.equal(false);
    await clock.advance(4_000);
    expect(await Promise.all(waiting)).to.deep.equal(waiting.map(() => true));
    const next = tarpit.wait(guess);
    await clock.advance(4_000);
    expect(await next).to.equal(true);
  });
});

describe('the counts of refused requests', () => {
  let written: SipRefusalRow[];
  let fails: boolean;
  let observed: string[];
  const clock = new VirtualClock(new Date('2026-01-01T10:59:59.000Z'));
  let counts: RefusalCounts;
  beforeEach(() => {
    [written, fails, observed] = [[], false, []];
    counts = new RefusalCounts({
      refusals: {
        add(rows) {
          if (fails) return Promise.reject(new Error('the database is away'));
          written.push(...rows);
          return Promise.resolve();
        },
        removeOld: () => Promise.resolve(),
      },
      countries: { of: () => 'SA' },
      observe: (reason) => observed.push(reason),
      clock,
    });
  });

  it('are written by hour, reason and source', async () => {
    for (const source of ['a', 'a', 'b']) counts.note('scanner', source);
    counts.note('denied', 'a');
    await counts.write();
    expect(written.map((row) => [row.reason, row.source, row.country, row.requests])).to.deep.equal([
      ['scanner', 'a', 'SA', 2],
      ['scanner', 'b', 'SA', 1],
      ['denied', 'a', 'SA', 1],
    ]);
    expect(written[0]?.hour.toISOString()).to.equal('2026-01-01T10:00:00.000Z');
    expect(observed).to.deep.equal(['scanner', 'scanner', 'scanner', 'denied']);
    await counts.write();
    expect(written).to.have.length(3);
  });

  it('are kept while the database is away', async () => {
    counts.note('scanner', 'a');
    fails = true;
    expect(await counts.write().catch((error: unknown) => String(error))).to.contain('away');
    fails = false;
    counts.note('scanner', 'a');
    await counts.write();
    expect(written.map(({ requests }) => requests)).to.deep.equal([2]);
  });

  it('hold a limited number of sources, however many there are', async () => {
    for (let source = 0; source < 10_000; source += 1) counts.note('stranger', `source ${source}`);
    await counts.write();
    expect(written).to.have.length(501);
    expect(written.at(-1)).to.include({ source: '*', country: null, requests: 9_500 });
  });
});

describe('the admission of calls', () => {
  const engine = { id: 'e', name: 'e', kind: 'asterisk', host: 'h', port: 1, isFull: false } as const;

  it('lets as many through in a quarter of a second as the engine takes, over all processes', async () => {
    let nowMs = 1_000_000;
    const memory = ownMemory();
    const [one, other] = [1, 2].map(
      () => new Admission({ memory, ratePerSecond: () => 20, now: () => new Date(nowMs) }),
    ) as [Admission, Admission];
    const admitted = [];
    for (let call = 0; call < 8; call += 1) admitted.push(await (call % 2 === 0 ? one : other).admits(engine));
    expect(admitted).to.deep.equal([true, true, true, true, true, false, false, false]);
    nowMs += 250;
    expect(await one.admits(engine)).to.equal(true);
    expect(await one.admits({ ...engine, isFull: true })).to.equal(false);
  });

  it('lets at least one call through, however slow the engine is', async () => {
    const admission = new Admission({ memory: ownMemory(), ratePerSecond: () => 0.5, now: () => new Date(0) });
    expect(await admission.admits(engine)).to.equal(true);
  });
});

describe('an offer of audio', () => {
  const [plain, crypto, dtls] = [
    'm=audio 9000 RTP/AVP 8\r\n',
    'm=audio 9000 RTP/SAVP 8\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:x\r\n',
    'm=audio 9000 UDP/TLS/RTP/SAVPF 8\r\na=fingerprint:sha-256 00\r\n',
  ];

  it('has keys only over an encrypted transport, and is encrypted if that is required', () => {
    expect(isAcceptable(plain, 'udp', 'off')).to.equal(true);
    expect(isAcceptable(plain, 'tls', 'required')).to.equal(false);
    expect(isAcceptable(crypto, 'tls', 'required')).to.equal(true);
    expect(isAcceptable(crypto, 'wss', 'offered')).to.equal(true);
    expect(isAcceptable(crypto, 'udp', 'offered')).to.equal(false);
    expect(isAcceptable(dtls, 'udp', 'offered')).to.equal(true);
    expect(isAcceptable('', 'tls', 'required'), 'an offer that comes later').to.equal(true);
  });
});
