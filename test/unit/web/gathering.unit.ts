import { expect } from 'chai';
import { mock } from 'node:test';
import { cutGathering, type GatheringOptions } from '../../../packages/web/src/media/gathering.js';

const HOST = { type: 'host', protocol: 'udp', address: '192.0.2.7' };
const RELAY = { type: 'relay', protocol: 'udp', address: '203.0.113.9' };
const SERVER_REFLEXIVE = { type: 'srflx', protocol: 'udp', address: '198.51.100.3' };
const STUN = { urls: 'stun:stun.example' };
const TURN = { urls: ['turn:turn.example', 'turns:turn.example?transport=tcp'] };

/** As the browser's: it reports its state and what it finds. */
class Connection extends EventTarget {
  iceGatheringState = 'new';
  localDescription = { sdp: '' };
  /** How often its search was ended for JsSIP. */
  ended = 0;

  constructor(options: Partial<GatheringOptions>) {
    super();
    cutGathering(this, { ...{ cutMs: 500, iceServers: [], isRelayOnly: false }, ...options });
    this.addEventListener('icecandidate', (event) => {
      if (!('candidate' in event)) this.ended += 1;
    });
  }

  becomes(state: string): void {
    this.iceGatheringState = state;
    this.dispatchEvent(new Event('icegatheringstatechange'));
  }

  finds(candidate: object): void {
    this.localDescription.sdp += '\r\na=candidate:';
    this.dispatchEvent(Object.assign(new Event('icecandidate'), { candidate }));
  }
}

/** One that searches. */
function searching(options: Partial<GatheringOptions> = {}): Connection {
  const connection = new Connection(options);
  connection.becomes('gathering');
  return connection;
}

describe('the search of a browser for its addresses', () => {
  const pass = (ms: number): void => mock.timers.tick(ms);

  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('is over for a new call when an address of its own was found and no other follows', () => {
    const connection = searching();
    connection.finds(HOST);
    pass(15);
    connection.finds({ ...HOST, address: '2001:db8::7' });
    pass(15);
    expect(connection.ended).to.equal(0);
    pass(5);
    expect(connection.ended).to.equal(1);
    connection.finds({ ...HOST, protocol: 'tcp' });
    pass(60_000);
    expect(connection.ended).to.equal(1);
  });

  it('continues, until the limit, after addresses that no call can begin with', () => {
    const useless = [
      [{}, { ...HOST, protocol: 'tcp' }],
      [{}, { ...HOST, address: '8d4f2c1a-1d2e-4a8e-9b7e-6f5a4b3c2d1e.local' }],
      [{ iceServers: [STUN] }, HOST],
      [{ iceServers: [STUN, TURN] }, SERVER_REFLEXIVE],
    ] as const;
    for (const [options, candidate] of useless) {
      const connection = searching(options);
      connection.finds(candidate);
      pass(499);
      expect(connection.ended, JSON.stringify(candidate)).to.equal(0);
      pass(1);
      expect(connection.ended, JSON.stringify(candidate)).to.equal(1);
    }
  });

  it('is over with the address at a STUN server, and with a relay if there is a TURN server', () => {
    for (const [iceServers, candidate] of [
      [[STUN], SERVER_REFLEXIVE],
      [[STUN, TURN], RELAY],
    ] as const) {
      const connection = searching({ iceServers });
      connection.finds(HOST);
      connection.finds(candidate);
      pass(20);
      expect(connection.ended, candidate.type).to.equal(1);
    }
  });

  it('waits for a relay beyond the limit if there is no other way', () => {
    const connection = searching({ iceServers: [TURN], isRelayOnly: true });
    pass(3_000);
    expect(connection.ended).to.equal(0);
    connection.finds(RELAY);
    pass(20);
    expect(connection.ended).to.equal(1);
  });

  it('takes two seconds when a call restarts it, and ends nothing that the browser ended', () => {
    const connection = searching();
    connection.finds(HOST);
    connection.becomes('complete');
    pass(500);
    expect(connection.ended).to.equal(0);
    connection.becomes('gathering');
    connection.finds(HOST);
    pass(1_999);
    expect(connection.ended).to.equal(0);
    pass(1);
    expect(connection.ended).to.equal(1);
  });
});
