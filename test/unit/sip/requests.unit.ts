import { expect } from 'chai';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import type { TrunkRow } from '../../../core/data/rows.js';
import { digestResponse, type DigestAlgorithm } from '../../../sip/message/digest.js';
import type { SipRequest, SipSource } from '../../../sip/message/request.js';
import { Authenticator } from '../../../sip/registrar/authenticator.js';
import { Nonces } from '../../../sip/registrar/nonces.js';
import { EdgeRequests } from '../../../sip/requests.js';
import { TEST_CIPHER } from '../../support/cipher.js';
import { quiet } from '../../support/logger.js';
import { ownMemory } from '../../support/peers/sip-memory.js';
import { contactRow, PHONE, sipRequest } from '../../support/peers/sip-request.js';

const ENGINE: SipSource = { host: '192.0.2.1', port: 5080, transport: 'udp' };
const CARRIER: SipSource = { host: '198.51.100.7', port: 5060, transport: 'udp' };
const STRANGER: SipSource = { host: '203.0.113.9', port: 33_000, transport: 'udp' };

describe('a request to the edge', () => {
  let done: string[];
  let locked: string[];
  let isServed: boolean;
  let clock: VirtualClock;
  let edge: EdgeRequests;
  let algorithms: DigestAlgorithm[];
  let isDatabaseAway: boolean;

  beforeEach(() => {
    [done, locked, isServed, clock, isDatabaseAway] = [[], [], true, new VirtualClock(), false];
    algorithms = ['SHA-256', 'MD5'];
    const note =
      (what: string) =>
      (_: SipRequest, who: unknown = ''): Promise<void> => {
        done.push(`${what} ${typeof who === 'string' ? who : JSON.stringify(who)}`.trim());
        return Promise.resolve();
      };
    edge = new EdgeRequests({
      directory: {
        engineAt: ({ host, port }) =>
          host === ENGINE.host && port === ENGINE.port ? { id: 'e', name: 'e', host, port } : null,
        trunkAt: ({ host }) => (host === CARRIER.host ? ({ id: 'carrier' } as TrunkRow) : null),
      },
      guard: {
        serves: () => isServed,
        isScanner: (agent) => agent === 'friendly-scanner',
        isUserLocked: (user) => locked.includes(user),
        sawScanner: ({ host }) => Promise.resolve(void done.push(`scanner ${host}`)),
        sawWrongPassword: ({ host }, user) => Promise.resolve(void done.push(`wrong ${host} ${user}`)),
      },
      authenticator: new Authenticator({
        agentByAor: (aor) =>
          isDatabaseAway
            ? Promise.reject(new Error('the database is away'))
            : Promise.resolve(aor === '1001' ? { aor, sip_password: TEST_CIPHER.seal('s3cret') } : null),
        cipher: TEST_CIPHER,
        nonces: new Nonces((text) => TEST_CIPHER.mac('edge', text), ownMemory(), clock),
        get algorithms() {
          return algorithms;
        },
      }),
      registrar: { register: note('registers') },
      location: { of: () => Promise.resolve([contactRow()]) },
      calls: { toEngine: note('to an engine:'), toPhones: note('to phones') },
      log: quiet,
    });
  });

  /** Sends the request, and once more with an answer to its challenge. */
  async function withPassword(
    startLine: string,
    given: { source?: SipSource; user?: string; from?: string; password?: string; uri?: string } = {},
  ): Promise<ReturnType<typeof sipRequest>> {
    const [method = '', target = ''] = startLine.split(' ');
    const { source = PHONE, user = '1001', from = user, password = 's3cret', uri = target } = given;
    const own = [`From: <sip:${from}@hatif>;tag=1`, `To: <sip:${user}@hatif>`];
    const asked = sipRequest(startLine, own, source);
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
    const answering = sipRequest(startLine, [...own, `Authorization: ${credentials}`], source);
    await edge.handle(answering);
    return answering;
  }

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
    const unknown = await withPassword('REGISTER sip:hatif', { user: 'nobody' });
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
    await edge.handle(sipRequest('INVITE sip:1001@hatif', [], ENGINE));
    expect(done).to.deep.equal(['to an engine: {"type":"trunk","id":"carrier"}', 'to phones']);
    const options = sipRequest('OPTIONS sip:hatif', [], CARRIER);
    await edge.handle(options);
    expect(options.outcomes).to.deep.equal([{ did: 'answered', status: 200 }]);
  });

  it('with the mark of the edge comes from a liar', async () => {
    const request = sipRequest('INVITE sip:1002@hatif', ['X-Hatif-Edge: softphone/1001/x'], CARRIER);
    await edge.handle(request);
    expect(request.outcomes).to.deep.equal([{ did: 'answered', status: 403 }]);
    expect(done).to.deep.equal([]);
  });

  it('of a scanner, of an address that is locked out, and of a stranger without a purpose is not answered', async () => {
    const scan = sipRequest('INVITE sip:100@hatif', ['User-Agent: friendly-scanner'], STRANGER);
    await edge.handle(scan);
    const options = sipRequest('OPTIONS sip:hatif', [], STRANGER);
    await edge.handle(options);
    const message = sipRequest('MESSAGE sip:1001@hatif', [], STRANGER);
    await edge.handle(message);
    isServed = false;
    const lockedOut = sipRequest('REGISTER sip:hatif', [], STRANGER);
    await edge.handle(lockedOut);
    for (const { outcomes } of [scan, options, message, lockedOut])
      expect(outcomes).to.deep.equal([{ did: 'ignored' }]);
    expect(done).to.deep.equal([`scanner ${STRANGER.host}`]);
  });

  it('OPTIONS is answered at an address whose phone has authenticated itself', async () => {
    await withPassword('REGISTER sip:hatif');
    const options = sipRequest('OPTIONS sip:hatif', []);
    await edge.handle(options);
    expect(options.outcomes).to.deep.equal([{ did: 'answered', status: 200 }]);
    const subscribe = sipRequest('SUBSCRIBE sip:1002@hatif', []);
    await edge.handle(subscribe);
    expect(subscribe.outcomes).to.deep.equal([{ did: 'answered', status: 489 }]);
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
