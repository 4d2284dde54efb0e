import { expect } from 'chai';
import { IceServers } from '../../../../core/services/web-calling/ice-servers.js';
import { readSettings } from '../../../../config/read-settings.js';
import { systemClock } from '../../../../core/ports/clock.js';
import { openIceServers } from '../../../../main/wiring/ice-servers.js';
import { VirtualClock } from '../../../../engine/simulator/virtual-clock.js';

const SERVERS = [
  { region: null, url: 'stun:stun.example.com' },
  { region: 'jeddah', url: 'turn:jeddah.example.com' },
  { region: 'riyadh', url: 'turns:riyadh.example.com:5349?transport=tcp' },
];
const UNTIL = new Date('2026-01-31T06:00:00Z');

describe('the servers for browsers', () => {
  /** @param answering the servers that answer */
  const open = (answering: Set<string> = new Set()) => {
    const asked: string[] = [];
    const clock = new VirtualClock();
    const probe = {
      answers: (url: string) => {
        asked.push(url);
        return Promise.resolve(answering.has(url));
      },
    };
    return {
      ice: new IceServers({ servers: SERVERS, secret: 'a secret of TURN servers', probe, clock }),
      asked,
      clock,
    };
  };

  it('get credentials that end with the session (HMAC-SHA1 of expiry and identity)', () => {
    const [stun, turn] = open().ice.for('reem', UNTIL, null);
    expect(stun).to.deep.equal({ urls: ['stun:stun.example.com'] });
    // printf %s 1769839200:reem | openssl dgst -sha1 -hmac 'a secret of TURN servers' -binary | base64
    expect(turn).to.deep.equal({
      urls: ['turn:jeddah.example.com'],
      username: '1769839200:reem',
      credential: 'u9xPitfjgMkr9avYzFEcq0iXTWQ=',
    });
  });

  it('of the region come first', () => {
    const { ice } = open();
    const order = (region: string | null): string[] => ice.for('reem', UNTIL, region).flatMap(({ urls }) => urls);
    const usual = SERVERS.map(({ url }) => url);
    expect(order(null)).to.deep.equal(usual);
    expect(order('dammam')).to.deep.equal(usual);
    expect(order('riyadh')).to.deep.equal([usual[2], usual[0], usual[1]]);
  });

  it('relay if one TURN server answers; each is asked every ten seconds', async () => {
    const { ice, asked, clock } = open(new Set(['turn:jeddah.example.com']));
    expect(await ice.hasRelay()).to.equal(true);
    expect(await ice.hasRelay()).to.equal(true);
    expect(asked).to.deep.equal(['turn:jeddah.example.com', 'turns:riyadh.example.com:5349?transport=tcp']);
    await clock.advance(10_000);
    await ice.hasRelay();
    expect(asked).to.have.lengthOf(4);
    expect(await open().ice.hasRelay()).to.equal(false);
  });

  it('report each TURN server, and no STUN server', async () => {
    const { ice, asked } = open(new Set(['turn:jeddah.example.com']));
    expect(await ice.relays()).to.deep.equal([
      { region: 'jeddah', url: 'turn:jeddah.example.com', isUp: true },
      { region: 'riyadh', url: 'turns:riyadh.example.com:5349?transport=tcp', isUp: false },
    ]);
    expect(asked).to.have.lengthOf(2);
  });
});

describe('the servers of an installation', () => {
  it('are those of the settings, then the embedded one by UDP and TCP', () => {
    const settings = readSettings({
      TURN_SERVERS: 'stun:stun.example.com,riyadh=turn:turn.example.com',
      TURN_SECRET: 'a secret of TURN servers',
    });
    const turn = { url: 'turn:192.0.2.7:3478', secret: 'another' };
    const servers = openIceServers(settings, { turn }, systemClock).for('reem', UNTIL, 'riyadh');
    expect(servers.flatMap(({ urls }) => urls)).to.deep.equal([
      ...['turn:turn.example.com', 'stun:stun.example.com', 'turn:192.0.2.7:3478', 'turn:192.0.2.7:3478?transport=tcp'],
    ]);
    expect(new Set(servers.flatMap(({ credential }) => credential ?? [])).size).to.equal(1);
  });
});
