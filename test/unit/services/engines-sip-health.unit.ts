import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { optionsProbe } from '../../../adapters/sip/options-probe.js';
import { SipHealth } from '../../../core/services/engine-ownership/sip-health.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../support/logger.js';

const ADDRESS = { host: '127.0.0.1', port: 5060 };
/** Within which an engine that dies gets no call any more, less what the telling of it takes. */
const LIMIT_MS = 4_500;

describe('health on SIP', () => {
  let clock: VirtualClock;
  let answers: boolean;
  let connected: boolean;
  let changes: number;
  let health: SipHealth;
  let asked: number;

  beforeEach(() => {
    clock = new VirtualClock();
    [answers, connected, changes, asked] = [true, true, 0, 0];
    const probe = {
      ask: (_host: string, _port: number, timeoutMs: number) => {
        asked++;
        return answers
          ? Promise.resolve(true)
          : new Promise<boolean>((resolve) => {
              clock.after(timeoutMs, () => resolve(answers));
            });
      },
    };
    const onChange = (): void => {
      changes++;
    };
    const isConnected = (): boolean => connected;
    health = new SipHealth({ address: ADDRESS, probe, isConnected, clock, log: quiet, onChange });
  });
  afterEach(() => health.stop());

  it('is not known before the first answer, and told once it is', async () => {
    health.start(null);
    expect(health.status).to.equal(null);
    await clock.advance(0);
    expect(health.status).to.equal('up');
    await clock.advance(10_000);
    expect(changes).to.equal(1);
  });

  it('is down in time after the last answer, and up with the next', async () => {
    health.start('up');
    await clock.advance(3_000);
    answers = false;
    await clock.advance(1_500);
    expect(health.status, 'one lost packet is no death').to.equal('up');
    await clock.advance(LIMIT_MS - 1_500);
    expect(health.status).to.equal('down');
    answers = true;
    await clock.advance(2_000);
    expect(health.status).to.equal('up');
    expect(changes).to.equal(2);
  });

  it('is down too where there never was an answer', async () => {
    answers = false;
    health.start(null);
    await clock.advance(LIMIT_MS);
    expect(health.status).to.equal('down');
  });

  it('is not looked at while the engine is not connected, and given its time afterwards', async () => {
    [answers, connected] = [false, false];
    health.start('up');
    await clock.advance(20_000);
    expect(asked).to.equal(0);
    expect(health.status).to.equal('up');
    connected = true;
    await clock.advance(2_000);
    expect(health.status).to.equal('up');
    await clock.advance(LIMIT_MS - 2_000);
    expect(health.status).to.equal('down');
  });

  it('goes on from what the owner before has found', () => {
    answers = false;
    health.start('down');
    expect(health.status).to.equal('down');
    expect(changes).to.equal(0);
  });

  it('is not looked at any more when stopped, or where the address is not known', async () => {
    health.start(null);
    health.stop();
    await clock.advance(5_000);
    expect(asked).to.equal(1);
    const blind = new SipHealth({
      address: null,
      isConnected: () => true,
      probe: { ask: () => Promise.reject(new Error('is not asked')) },
      clock,
      log: quiet,
      onChange: () => expect.fail(),
    });
    blind.start('down');
    await clock.advance(5_000);
    expect(blind.status).to.equal(null);
  });
});

describe('an OPTIONS request', () => {
  it('is answered by whatever a SIP server says to it, and not by others', async () => {
    const server = createSocket('udp4').bind(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    const requests: string[] = [];
    server.on('message', (message, { port: from }) => {
      const text = message.toString();
      requests.push(text);
      const [, via = ''] = /^(Via: .*)$/m.exec(text) ?? [];
      const [, callId = ''] = /^Call-ID: (.*)$/m.exec(text) ?? [];
      server.send('SIP/2.0 200 OK\r\nCall-ID: other\r\n\r\n', from);
      // The first is lost.
      if (requests.length > 1) {
        server.send(`SIP/2.0 401 Unauthorized\r\n${via}\r\nCall-ID: ${callId}\r\n\r\n`, from);
      }
    });
    try {
      expect(await optionsProbe.ask('127.0.0.1', port, 5_000)).to.equal(true);
      expect(requests).to.have.length(2);
      expect(requests[0]).to.match(/^OPTIONS sip:127\.0\.0\.1:\d+ SIP\/2\.0\r\n/);
      expect(requests[0]).to.match(/\r\nVia: SIP\/2\.0\/UDP 127\.0\.0\.1:\d+;branch=z9hG4bK\w+;rport\r\n/);
      expect(requests[0]).to.match(/\r\nContent-Length: 0\r\n\r\n$/);
    } finally {
      server.close();
    }
    expect(await optionsProbe.ask('127.0.0.1', port, 200), 'nobody is there').to.equal(false);
  });

  it('that nobody answers is given up in time', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    expect(await optionsProbe.ask('127.0.0.1', silent.address().port, 300)).to.equal(false);
    silent.close();
  });
});
