import { expect } from 'chai';
import { createSocket } from 'node:dgram';
import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbedded } from '../../../adapters/embedded/index.js';
import { startTurn, type TurnPart } from '../../../adapters/embedded/turn/turn.js';
import { isPortFree } from '../../../adapters/embedded/system/ports.js';
import { stunProbe } from '../../../adapters/turn/stun-probe.js';
import { IceServers } from '../../../core/services/web-calling/ice-servers.js';
import { systemClock } from '../../../core/ports/clock.js';
import { eventually } from '../../support/eventually.js';
import { TurnClient } from '../../support/peers/turn-client.js';
import { skipBecause } from '../../support/skip.js';

const PORT = 23_478;
const HOUR_MS = 3_600_000;
/** Stands for the address at which an engine has its media. */
const ENGINE = '10.11.12.13';
const OPTIONS = {
  ...{ bind: '127.0.0.1', port: PORT, relay: { from: 23_500, to: 23_599 }, peers: [ENGINE] },
};

/** A UDP service. */
async function listener(address: string) {
  const socket = createSocket('udp4');
  const received: string[] = [];
  socket.on('message', (message) => received.push(message.toString()));
  await new Promise<void>((resolve) => socket.bind(0, address, resolve));
  return { socket, received, port: socket.address().port };
}

describe('the embedded TURN server', function () {
  this.timeout(180_000);
  let dataDir: string;
  let turn: TurnPart;
  const packages = { cacheDir: process.env.HATIF_CACHE_DIR ?? resolve('.hatif-cache') };

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'hatif-turn-'));
    turn = await startTurn(dataDir, OPTIONS, packages);
  });
  after(async () => {
    await turn.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Credentials as a browser gets them. */
  const credentials = (secret: string, untilMs = Date.now() + HOUR_MS) => {
    const servers = [{ url: `turn:127.0.0.1:${PORT}`, region: null }];
    const ice = new IceServers({ servers, secret, probe: stunProbe, clock: systemClock });
    const { username = '', credential = '' } = ice.for('reem', new Date(untilMs), null)[0] ?? {};
    return { username, credential };
  };

  it('answers, and is taken over by the next start', async () => {
    expect(await stunProbe.answers(`turn:127.0.0.1:${PORT}`)).to.equal(true);
    const again = await startTurn(dataDir, OPTIONS, packages);
    expect(again).to.include({ adopted: true, pid: turn.pid, secret: turn.secret });
    const changed = await startTurn(dataDir, { ...OPTIONS, peers: [ENGINE, '10.11.12.14'] }, packages);
    expect(changed).to.include({ adopted: false, secret: turn.secret });
    turn = changed;
  });

  it('is left out with a warning if it cannot start, and the other parts are not', async () => {
    const taken = createSocket('udp4');
    await new Promise<void>((resolve) => taken.bind(0, '127.0.0.1', resolve));
    const warnings: string[] = [];
    const folder = await mkdtemp(join(tmpdir(), 'hatif-turn-'));
    try {
      const parts = await startEmbedded(
        {
          ...{ dataDir: folder, ...packages, turn: { ...OPTIONS, port: taken.address().port } },
          onProgress: (text) => void warnings.push(text),
        },
        { postgres: false, redis: false, asterisk: false, speech: true, turn: true },
      );
      expect(parts.turn).to.equal(undefined);
      expect(parts.speech).to.include({ name: 'espeak-ng' });
      expect(warnings.at(-1)).to.match(/^Warning: the TURN server did not start.*cannot listen on UDP port/);
    } finally {
      taken.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('relays to public addresses and to engines only', async () => {
    const client = await TurnClient.allocate('127.0.0.1', PORT, credentials(turn.secret));
    if (typeof client === 'number') throw new Error(`no allocation: ${client}`);
    for (const address of [ENGINE, '8.8.8.8']) expect(await client.permission(address), address).to.equal(null);
    const refused = [
      '10.0.0.1',
      '192.168.1.1',
      '172.20.0.1',
      '127.0.0.1',
      '169.254.169.254',
      '100.64.0.1',
      '224.0.0.1',
    ];
    for (const address of refused) {
      expect(await client.permission(address), address).to.equal(403);
      expect(await client.channel(address, 4096), address).to.equal(403);
    }
    client.close();
  });

  it('passes datagrams on to an engine of this machine, and none to its loopback', async function () {
    const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    const own = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    if (own === undefined) skipBecause(this, 'this machine has no address but the loopback');
    await turn.stop();
    turn = await startTurn(dataDir, { ...OPTIONS, peers: [own] }, packages);
    const [engine, service] = [await listener(own), await listener('127.0.0.1')];
    const client = await TurnClient.allocate('127.0.0.1', PORT, credentials(turn.secret));
    if (typeof client === 'number') throw new Error(`no allocation: ${client}`);
    try {
      expect(await client.permission(own)).to.equal(null);
      client.send('127.0.0.1', service.port, 'to the loopback');
      client.send(own, engine.port, 'to the engine');
      await eventually(() => engine.received.length > 0, 'the engine receives a datagram');
      expect(engine.received).to.deep.equal(['to the engine']);
      expect(service.received).to.deep.equal([]);
    } finally {
      client.close();
      for (const { socket } of [engine, service]) socket.close();
    }
  });

  it('refuses credentials of another secret, and old ones', async () => {
    const wrong = await TurnClient.allocate('127.0.0.1', PORT, credentials('another secret of TURN servers'));
    expect(wrong).to.equal(401);
    const old = await TurnClient.allocate('127.0.0.1', PORT, credentials(turn.secret, Date.now() - HOUR_MS));
    expect(old).to.equal(401);
  });

  it('stops', async () => {
    await turn.stop();
    expect(await isPortFree(PORT)).to.equal(true);
    expect(await stunProbe.answers(`turn:127.0.0.1:${PORT}`)).to.equal(false);
  });
});
