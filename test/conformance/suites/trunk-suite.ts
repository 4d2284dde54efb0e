import { createHash } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { replyTo } from '../../support/peers/sip-reply.js';
import type { OriginateRequest } from '../../../core/ports/engine.js';
import type { RealEngine } from '../rigs/sip-rig.js';
import { carrierAt, legTo, WITHHELD } from '../rigs/stage.js';

const REALM = 'carrier.example';
const NONCE = 'a1b2c3';

/** A carrier with digest authentication (RFC 3261 §22): responds 486 to valid credentials, 403 to others. */
class DigestCarrier {
  readonly requests: string[] = [];
  readonly #socket: Socket = createSocket('udp4');

  constructor(
    private readonly username: string,
    private readonly password: string,
  ) {}

  async start(): Promise<number> {
    this.#socket.on('message', (data, from) => {
      const request = data.toString('latin1');
      if (!request.startsWith('INVITE ')) return;
      this.requests.push(request);
      this.#socket.send(this.#answer(request), from.port, from.address);
    });
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
    return this.#socket.address().port;
  }

  stop(): void {
    this.#socket.close();
  }

  #answer(request: string): string {
    const authorization = /^Authorization: Digest (.*)$/m.exec(request)?.[1];
    if (authorization === undefined) {
      return replyTo(request, '401 Unauthorized', `WWW-Authenticate: Digest realm="${REALM}", nonce="${NONCE}"`);
    }
    const of = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(authorization)?.[1] ?? '';
    const expected = md5(`${md5(`${this.username}:${REALM}:${this.password}`)}:${NONCE}:${md5(`INVITE:${of('uri')}`)}`);
    return replyTo(request, of('response') === expected ? '486 Busy Here' : '403 Forbidden');
  }
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** Contains characters with a special meaning for one of the engines. */
const PASSWORD = 'ri,ght|&^[]$;"<>=#@%/?!*';

/** Checks a trunk with credentials on every engine. */
export function trunkConformance(start: () => Promise<RealEngine>): void {
  let ground: RealEngine;
  const carrier = new DigestCarrier('hatif', PASSWORD);
  let port: number;

  before(async () => {
    ground = await start();
    port = await carrier.start();
  });
  after(async () => {
    carrier.stop();
    await ground.stop();
  });

  const endpoint = { type: 'trunk', trunkId: 'carrier', number: '+966500000009' } as const;
  const dial = async (over: Partial<OriginateRequest> = {}): Promise<string> => {
    const leg = legTo(endpoint, { ringTimeoutSeconds: 5, maxDurationSeconds: 60, ...over });
    await ground.engine.legs.originate(leg);
    const { cause } = await ground.heard.event('leg.ended', { legId: leg.legId });
    return `${cause.q850} ${cause.sipCode}`;
  };
  const callWith = async (credentials: { username: string; password: string } | null): Promise<string> => {
    await ground.engine.trunks.put(carrierAt(port, { credentials, inboundAddresses: [] }));
    return dial();
  };

  it('authenticates with the carrier, and uses a changed password', async () => {
    expect(await callWith({ username: 'hatif', password: PASSWORD })).to.equal('17 486');
    expect(await callWith({ username: 'hatif', password: 'wrong' })).to.equal('21 403');
    expect(await callWith({ username: 'hatif', password: PASSWORD })).to.equal('17 486');
  });

  it('cannot authenticate after its credentials were removed', async () => {
    expect(await callWith(null)).to.equal('21 401');
  });

  it('dials the number at the carrier with the caller ID', () => {
    const [first] = carrier.requests;
    expect(first).to.match(/^INVITE sip:\+966500000009@127\.0\.0\.1/);
    expect(first).to.match(/^From: "Hatif" <sip:\+966112345678@/m);
    expect(first).to.match(/^P-Asserted-Identity: "Hatif" <sip:\+966112345678@/m);
  });

  /** The header of the last INVITE; null if it has none. */
  const header = (name: string): string | null =>
    new RegExp(`^${name}: (.*)\r$`, 'm').exec(carrier.requests.at(-1) ?? '')?.[1] ?? null;
  const presenting = { credentials: { username: 'hatif', password: PASSWORD }, inboundAddresses: [] };
  const IDENTITY = { asserted: '+966119999999', isPrivate: false };

  it('names another number in P-Asserted-Identity than in From, also when it authenticates', async () => {
    await ground.engine.trunks.put(carrierAt(port, { ...presenting, assertsCaller: false }));
    const diversion = { number: '+966118888888', case: 'no_answer' } as const;
    expect(await dial({ endpoint: { ...endpoint, diversion }, identity: IDENTITY })).to.equal('17 486');
    expect(header('Authorization')).to.not.equal(null);
    expect(header('From')).to.contain('<sip:+966112345678@');
    expect(header('P-Asserted-Identity')).to.equal('<sip:+966119999999@127.0.0.1>');
    expect(header('Diversion')).to.match(/<sip:\+966118888888@[^>]+>;reason=no-answer/);
    expect(header('Privacy')).to.be.oneOf([null, 'none']);
  });

  it('asserts no number if the trunk wants none', async () => {
    await ground.engine.trunks.put(carrierAt(port, { ...presenting, assertsCaller: false }));
    await dial();
    expect(header('P-Asserted-Identity')).to.equal(null);
    expect(header('Diversion')).to.equal(null);
  });

  it('asserts the number of a caller who is withheld, and asks to keep it private', async () => {
    await ground.engine.trunks.put(carrierAt(port, presenting));
    await dial({ callerId: WITHHELD, identity: { ...IDENTITY, isPrivate: true } });
    expect(header('From')).to.contain('anonymous.invalid');
    expect(header('P-Asserted-Identity')).to.equal('<sip:+966119999999@127.0.0.1>');
    expect(header('Privacy')).to.equal('id');
  });

  it('offers the codecs of the trunk', async () => {
    await ground.engine.trunks.put(carrierAt(port, { ...presenting, codecs: ['ulaw'], dtmfMode: 'rfc4733' }));
    await dial();
    // Beside it only digits (a dynamic type) and comfort noise (13).
    expect(carrier.requests.at(-1)).to.match(/^m=audio \d+ RTP\/AVP 0( 13| 9[6-9]| 1\d\d)*\r$/m);
  });
}
