import { expect } from 'chai';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import type { TrunkRow } from '../../../core/data/rows.js';
import type { SipRefusal } from '../../../core/model/sip-edge.js';
import { NO_SIP_SECURITY, type SipSecurity } from '../../../core/model/sip-security.js';
import { digestResponse, type DigestAlgorithm } from '../../../sip/message/digest.js';
import { Tarpit } from '../../../sip/guards/tarpit.js';
import type { SipRequest, SipSource } from '../../../sip/message/request.js';
import { Authenticator } from '../../../sip/registrar/authenticator.js';
import { Nonces } from '../../../sip/registrar/nonces.js';
import { EdgeRequests } from '../../../sip/requests.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { quiet } from '../../support/logger.js';
import { ownMemory } from '../../support/peers/sip/memory.js';
import { contactRow, PHONE, sipRequest } from '../../support/peers/sip/request.js';

const RELAY: SipSource = { host: '127.0.0.1', port: 5090, transport: 'udp' };
const CARRIER: SipSource = { host: '198.51.100.7', port: 5060, transport: 'udp' };
const STRANGER: SipSource = { host: '203.0.113.9', port: 33_000, transport: 'udp' };
const PLAIN_SDP = 'v=0\r\nm=audio 9000 RTP/AVP 8\r\n';
const ENCRYPTED_SDP = `${PLAIN_SDP}a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc\r\n`;

/** The API, which passes browsers on. */
const BROWSER = { host: '192.0.2.1', port: 5000, transport: 'ws' } as const;
const BROWSER_AOR = `web.${'0'.repeat(32)}`;

describe('a request to the edge', () => {
  let done: string[];
  let locked: string[];
  let refusal: SipRefusal | null;
  let refused: string[];
  let security: SipSecurity;
  let trunk: Partial<TrunkRow>;
  let clock: VirtualClock;
  let edge: EdgeRequests;
  let algorithms: DigestAlgorithm[];
  let isDatabaseAway: boolean;

  beforeEach(() => {
    [done, locked, refusal, refused, clock, isDatabaseAway] = [[], [], null, [], new VirtualClock(), false];
    [security, trunk] = [NO_SIP_SECURITY, { id: 'carrier', transport: 'udp' }];
    algorithms = ['SHA-256', 'MD5'];
    const note =
      (what: string) =>
      (_: SipRequest, who: unknown = ''): Promise<void> => {
        done.push(`${what} ${typeof who === 'string' ? who : JSON.stringify(who)}`.trim());
        return Promise.resolve();
      };
    edge = new EdgeRequests({
      directory: { trunkAt: ({ host }) => (host === CARRIER.host ? (trunk as TrunkRow) : null) },
      isRelay: ({ host, port }) => host === RELAY.host && port === RELAY.port,
      refused: (reason, host) => void refused.push(`${reason} ${host}`),
      tarpit: new Tarpit({ observe: () => undefined, clock }),
      emergency: new Set(['911']),
      get security() {
        return security;
      },
      guard: {
        refusalOf: () => refusal,
        isScanner: (agent) => agent === 'friendly-scanner',
        isUserLocked: (user) => locked.includes(user),
        sawScanner: ({ host }) => Promise.resolve(void done.push(`scanner ${host}`)),
        sawWrongPassword: (source, user) =>
          Promise.resolve(void done.push(`wrong ${source?.host ?? 'browser'} ${user}`)),
      },
      authenticator: new Authenticator({
        accountByAor: (aor) =>
          isDatabaseAway
            ? Promise.reject(new Error('the database is away'))
            : Promise.resolve(
                aor === '1001' || aor === BROWSER_AOR ? { aor, sip_password: TEST_CIPHER.seal('s3cret') } : null,
              ),
        cipher: TEST_CIPHER,
        nonces: new Nonces((text) => TEST_CIPHER.mac('edge', text), ownMemory(), clock),
        get algorithms() {
          return algorithms;
        },
      }),
      registrar: { register: note('registers') },
      location: { of: () => Promise.resolve([contactRow()]) },
      subscriptions: { admit: note('subscribes') },
      texts: { admit: note('sends a text:') },
      calls: { toEngine: note('to an engine:'), fromEngine: note('of an engine') },
      log: quiet,
    });
  });

  /** Sends the request, and once more with an answer to its challenge. */
  async function withPassword(
    startLine: string,
    given: { source?: SipSource; user?: string; from?: string; password?: string; uri?: string; body?: string } = {},
  ): Promise<ReturnType<typeof sipRequest>> {
    const [method = '', target = ''] = startLine.split(' ');
    const { source = PHONE, user = '1001', from = user, password = 's3cret', uri = target, body = '' } = given;
    const own = [`From: <sip:${from}@hatif>;tag=1`, `To: <sip:${user}@hatif>`];
    const asked = sipRequest(startLine, own, source, body);
    await edge.handle(asked);
    const [challenged] = asked.outcomes;
    if (challenged?.did !== 'answered') throw new Error(`not challenged: ${JSON.stringify(asked.outcomes)}`);
    const [challenge = ''] = Object.values(challenged.headers ?? {}).flat();
    const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? '';
    const algorithm = challenge.includes('SHA-256') ? 'SHA-256' : 'MD5';
    const count = { nc: '00000001', cnonce: 'c' };
    const answer = { username: user, realm: 'hatif', nonce, uri, algorithm, count } as const;
    const response = digestResponse(answer, method, password);
    const credentials =
      `Digest username="${user}", realm="hatif", nonce="${nonce}", uri="${uri}", response="${response}", ` +
      `algorithm=${algorithm}, qop=auth, nc=00000001, cnonce="c"`;
    const answering = sipRequest(startLine, [...own, `Authorization: ${credentials}`], source, body);
    await edge.handle(answering);
    return answering;
  }

  it('of a browser is served from anywhere, without TLS, and locks nobody else out', async () => {
    const source = BROWSER;
    refusal = 'locked_out';
    security = { phonesNeedTls: true, phones: 'required', trunks: 'off' };
    await withPassword('REGISTER sip:hatif', { source, user: BROWSER_AOR });
    await withPassword('INVITE sip:1002@hatif', { source, user: BROWSER_AOR, body: 'a=fingerprint:sha-256 00' });
    expect(done.map((one) => one.split(' ')[0])).to.deep.equal(['registers', 'to']);
    done.length = 0;
    await withPassword('REGISTER sip:hatif', { source, user: BROWSER_AOR, password: 'guessed' });
    expect(done).to.deep.equal([`wrong browser ${BROWSER_AOR}`]);
  });

  it('has headers for call flows and events if it is of a phone or browser, but none that the edge uses', async () => {
    const asked = async (name: string, source: SipSource): Promise<unknown> => {
      const request = sipRequest('INVITE sip:1002@hatif', [`${name}: x`], source);
      await edge.handle(request);
      return request.outcomes[0];
    };
    for (const [name, source, status] of [
      ['X-Hatif-Order-Id', BROWSER, 407],
      ['X-Hatif-Order-Id', PHONE, 407],
      ['X-Hatif-Order-Id', CARRIER, 403],
      ['X-Hatif-Edge', BROWSER, 403],
      ['X-Hatif-Trunk', BROWSER, 403],
      ['X-Hatif-Relay', BROWSER, 403],
      ['X-Hatif-Trunk', PHONE, 403],
    ] as const) {
      expect(await asked(name, source), name).to.include({ did: 'answered', status });
    }
  });

  it('of a browser’s account without the API, or of a phone’s with it, is refused', async () => {
    const refused = await withPassword('REGISTER sip:hatif', { user: BROWSER_AOR });
    expect(refused.outcomes).to.deep.include({ did: 'answered', status: 403 });
    const source = BROWSER;
    const phone = await withPassword('REGISTER sip:hatif', { source });
    expect(phone.outcomes[0]).to.include({ did: 'answered', status: 401 });
    expect(done).to.deep.equal([]);
  });

  it('is challenged with every algorithm: 401 to a REGISTER, 407 to an INVITE', async () => {
    for (const [line, status, name] of [
      ['REGISTER sip:hatif', 401, 'WWW-Authenticate'],
      ['INVITE sip:1002@hatif', 407, 'Proxy-Authenticate'],
    ] as const) {
      const request = sipRequest(line, []);
      await edge.handle(request);
      const [outcome] = request.outcomes;
      expect(outcome).to.include({ did: 'answered', status });
      const headers = outcome?.did === 'answered' ? outcome.headers : {};
      expect(headers?.[name]).to.have.length(2);
    }
    expect(done).to.deep.equal([]);
  });

  it('of a phone with the right password is served, with either algorithm', async () => {
    for (const algorithm of ['SHA-256', 'MD5'] as const) {
      algorithms = [algorithm];
      await withPassword('REGISTER sip:hatif');
      await withPassword('INVITE sip:1002@hatif');
    }
    const once = ['registers 1001', 'to an engine: {"type":"softphone","id":"1001"}'];
    expect(done).to.deep.equal([...once, ...once]);
  });

  it('of an unknown user looks like one with a wrong password', async () => {
    const wrong = await withPassword('REGISTER sip:hatif', { password: 'guessed' });
    const asked = withPassword('REGISTER sip:hatif', { user: 'nobody' });
    // The second guess from an address waits.
    await clock.advance(500);
    const unknown = await asked;
    for (const { outcomes } of [wrong, unknown]) expect(outcomes).to.have.length(1);
    const shape = ({ outcomes }: typeof wrong): string => JSON.stringify(outcomes).replace(/nonce=\\"[^"]*"/g, 'nonce');
    expect(shape(unknown)).to.equal(shape(wrong)).and.contain('"status":401').and.not.contain('stale');
    expect(done).to.deep.equal(['wrong 192.0.2.10 1001', 'wrong 192.0.2.10 nobody']);
  });

  it('that somebody repeats is challenged again, without blame', async () => {
    const first = await withPassword('REGISTER sip:hatif');
    const again = sipRequest('REGISTER sip:hatif', [`Authorization: ${first.headers.first('authorization')}`]);
    await edge.handle(again);
    expect(JSON.stringify(again.outcomes)).to.contain('stale=true');
    expect(done).to.deep.equal(['registers 1001']);
  });

  it('with a nonce that is too old is challenged again, without blame', async () => {
    const first = await withPassword('REGISTER sip:hatif');
    await clock.advance(300_001);
    const late = sipRequest('REGISTER sip:hatif', [`Authorization: ${first.headers.first('authorization')}`]);
    await edge.handle(late);
    expect(JSON.stringify(late.outcomes)).to.contain('stale=true');
  });

  it('with credentials for another request is a wrong password', async () => {
    await withPassword('INVITE sip:1002@hatif', { uri: 'sip:1003@hatif' });
    expect(done).to.deep.equal(['wrong 192.0.2.10 1001']);
    await withPassword('INVITE sip:1002@hatif:5070;transport=udp', { uri: 'sip:1002@hatif' });
    expect(done.at(-1)).to.contain('to an engine');
  });

  it('of a phone that calls as another user is refused', async () => {
    const forged = await withPassword('INVITE sip:1002@hatif', { from: '1003' });
    expect(forged.outcomes).to.deep.equal([{ did: 'answered', status: 403 }]);
    expect(done).to.deep.equal([]);
  });

  it('of a known trunk or engine needs no password', async () => {
    await edge.handle(sipRequest('INVITE sip:+966115550100@hatif', [], CARRIER));
    await edge.handle(sipRequest('INVITE sip:1001@hatif', [], RELAY));
    expect(done).to.deep.equal(['to an engine: {"type":"trunk","id":"carrier"}', 'of an engine']);
    const options = sipRequest('OPTIONS sip:hatif', [], CARRIER);
    await edge.handle(options);
    expect(options.outcomes).to.deep.equal([{ did: 'answered', status: 200 }]);
  });

  it('with the mark of the edge comes from a liar', async () => {
    const request = sipRequest('INVITE sip:1002@hatif', ['X-Hatif-Edge: softphone/1001/x'], CARRIER);
    await edge.handle(request);
    expect(request.outcomes).to.deep.equal([{ did: 'answered', status: 403 }]);
    const other = sipRequest('INVITE sip:1002@hatif', ['x-hatif-relay: guessed']);
    await edge.handle(other);
    expect(other.outcomes).to.deep.equal([{ did: 'answered', status: 403 }]);
    expect(done).to.deep.equal([]);
    expect(refused).to.deep.equal([`forged ${CARRIER.host}`, `forged ${PHONE.host}`]);
  });

  it('of a scanner, of an address that is locked out, and of a stranger without a purpose is not answered', async () => {
    const scan = sipRequest('INVITE sip:100@hatif', ['User-Agent: friendly-scanner'], STRANGER);
    await edge.handle(scan);
    const options = sipRequest('OPTIONS sip:hatif', [], STRANGER);
    await edge.handle(options);
    const message = sipRequest('PUBLISH sip:1001@hatif', [], STRANGER);
    await edge.handle(message);
    refusal = 'locked_out';
    const lockedOut = sipRequest('REGISTER sip:hatif', [], STRANGER);
    await edge.handle(lockedOut);
    for (const { outcomes } of [scan, options, message, lockedOut])
      expect(outcomes).to.deep.equal([{ did: 'ignored' }]);
    expect(done).to.deep.equal([`scanner ${STRANGER.host}`]);
    const reasons = ['scanner', 'stranger', 'stranger', 'locked_out'];
    expect(refused).to.deep.equal(reasons.map((reason) => `${reason} ${STRANGER.host}`));
    await edge.handle(sipRequest('INVITE sip:+966115550100@hatif', [], CARRIER));
    expect(done.at(-1), 'a trunk is served').to.contain('to an engine');
  });

  it('OPTIONS is answered at an address whose phone has authenticated itself', async () => {
    await withPassword('REGISTER sip:hatif');
    const options = sipRequest('OPTIONS sip:hatif', []);
    await edge.handle(options);
    expect(options.outcomes).to.deep.equal([{ did: 'answered', status: 200 }]);
    const message = sipRequest('PUBLISH sip:1002@hatif', []);
    await edge.handle(message);
    expect(message.outcomes[0]).to.include({ did: 'answered', status: 405 });
  });

  it('of a phone that subscribes needs a password', async () => {
    await withPassword('SUBSCRIBE sip:1002@hatif');
    expect(done).to.deep.equal(['subscribes 1001']);
  });

  it('of a phone that sends a text needs a password, and the name of its user', async () => {
    await withPassword('MESSAGE sip:+966501234567@hatif', { body: 'Hello' });
    expect(done).to.deep.equal(['sends a text: 1001']);
    const other = await withPassword('MESSAGE sip:1002@hatif', { from: '1002' });
    expect(other.outcomes).to.deep.include({ did: 'answered', status: 403 });
    const wrong = await withPassword('MESSAGE sip:1002@hatif', { password: 'guessed' });
    expect(wrong.outcomes[0]).to.deep.include({ did: 'answered', status: 407 });
    expect(done).to.deep.equal(['sends a text: 1001', 'wrong 192.0.2.10 1001']);
  });

  it('of a trunk or engine that sends a text is not served', async () => {
    for (const source of [CARRIER, RELAY]) {
      const request = sipRequest('MESSAGE sip:1001@hatif', ['From: <sip:x@y>;tag=1'], source, 'Hello');
      await edge.handle(request);
      expect(request.outcomes[0]).to.deep.include({ did: 'answered', status: 405 });
    }
    expect(done).to.deep.equal([]);
  });

  it('waits longer after each wrong password, and not after a right one', async () => {
    const guesses: Promise<unknown>[] = [];
    const guess = (): void => void guesses.push(withPassword('REGISTER sip:hatif', { password: 'guessed' }));
    guess();
    await guesses[0];
    const second = withPassword('REGISTER sip:hatif', { password: 'guessed' });
    let isAnswered = false;
    void second.then(() => (isAnswered = true));
    await clock.advance(499);
    expect(isAnswered, 'the answer to the second guess waits').to.equal(false);
    await clock.advance(1);
    await second;
    const asked = withPassword('REGISTER sip:hatif');
    await clock.advance(500);
    await asked;
    expect(done.at(-1)).to.equal('registers 1001');
    await withPassword('REGISTER sip:hatif');
  });

  describe('where phones need TLS', () => {
    const PRIVATE: SipSource = { ...PHONE, transport: 'tls' };
    const statusOf = ({ outcomes: [outcome] }: ReturnType<typeof sipRequest>): number | null =>
      outcome?.did === 'answered' ? outcome.status : null;

    it('is refused without it, except a call to an emergency number', async () => {
      security = { phonesNeedTls: true, phones: 'off', trunks: 'off' };
      const request = sipRequest('REGISTER sip:hatif', []);
      await edge.handle(request);
      expect(statusOf(request)).to.equal(403);
      await withPassword('REGISTER sip:hatif', { source: PRIVATE });
      await withPassword('INVITE sip:911@hatif');
      expect(done).to.deep.equal(['registers 1001', 'to an engine: {"type":"softphone","id":"1001"}']);
      expect(refused).to.deep.equal([`transport ${PHONE.host}`]);
    });

    it('must offer encrypted audio if that is required', async () => {
      security = { phonesNeedTls: true, phones: 'required', trunks: 'off' };
      const line = 'INVITE sip:1002@hatif';
      expect(statusOf(await withPassword(line, { source: PRIVATE, body: PLAIN_SDP }))).to.equal(488);
      await withPassword(line, { source: PRIVATE, body: ENCRYPTED_SDP });
      await withPassword('INVITE sip:911@hatif', { source: PRIVATE, body: PLAIN_SDP });
      expect(done).to.have.length(2);
    });

    it('of a trunk must arrive over TLS if its audio is encrypted', async () => {
      trunk = { id: 'carrier', transport: 'tls' };
      security = { phonesNeedTls: false, phones: 'off', trunks: 'required' };
      const call = async (source: SipSource, body: string): Promise<number | null> => {
        const request = sipRequest('INVITE sip:+966115550100@hatif', [], source, body);
        await edge.handle(request);
        return statusOf(request);
      };
      expect(await call(CARRIER, ENCRYPTED_SDP)).to.equal(403);
      const secure: SipSource = { ...CARRIER, transport: 'tls' };
      expect(await call(secure, PLAIN_SDP)).to.equal(488);
      expect(await call(secure, ENCRYPTED_SDP)).to.equal(null);
      expect(done).to.have.length(1);
    });

    it('offers no keys where others can read them', async () => {
      expect(statusOf(await withPassword('INVITE sip:1002@hatif', { body: ENCRYPTED_SDP }))).to.equal(488);
      expect(done).to.deep.equal([]);
    });
  });

  it('of a user who is locked out is served where a phone of the user is registered, and nowhere else', async () => {
    locked = ['1001'];
    await withPassword('REGISTER sip:hatif');
    expect(done).to.deep.equal(['registers 1001']);
    const elsewhere = await withPassword('REGISTER sip:hatif', { source: STRANGER });
    expect(elsewhere.outcomes[0]).to.include({ did: 'answered', status: 401 });
    expect(done).to.deep.equal(['registers 1001']);
  });

  it('is answered 503 while the database is away', async () => {
    isDatabaseAway = true;
    const waiting = await withPassword('REGISTER sip:hatif');
    expect(waiting.outcomes[0]).to.include({ did: 'answered', status: 503 });
  });
});
