import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { optionsProbe } from '../../../adapters/sip/options-probe.js';
import { SipHealth } from '../../../core/services/engine-ownership/sip-health.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../support/logger.js';
import { LateAnswers } from '../../support/workers/late-answers.js';

/** Long enough for a request to be sent. */
const BUSY_MS = 1_000;

const ADDRESS = { host: '127.0.0.1', port: 5060 };
/** Limit within which a dead engine must stop receiving calls, minus the time to announce it. */
const LIMIT_MS = 4_500;

describe('SIP health', () => {
  let clock: VirtualClock;
  let answers: boolean;
  let connected: boolean;
  let changes: number;
  let health: SipHealth;
  let probes: number;

  beforeEach(() => {
    clock = new VirtualClock();
    [answers, connected, changes, probes] = [true, true, 0, 0];
    const probe = {
      probe: (_host: string, _port: number, timeoutMs: number) => {
        probes++;
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

  it('is unknown before the first response, and a change is reported once', async () => {
    health.start(null);
    expect(health.status).to.equal(null);
    await clock.advance(0);
    expect(health.status).to.equal('up');
    await clock.advance(10_000);
    expect(changes).to.equal(1);
  });

  it('is down within the limit after the last response, and up after the next one', async () => {
    health.start('up');
    await clock.advance(3_000);
    answers = false;
    await clock.advance(1_500);
    expect(health.status, 'one lost packet does not count as down').to.equal('up');
    await clock.advance(LIMIT_MS - 1_500);
    expect(health.status).to.equal('down');
    answers = true;
    await clock.advance(2_000);
    expect(health.status).to.equal('up');
    expect(changes).to.equal(2);
  });

  it('is not down because this process was busy for a while', async () => {
    health.start('up');
    await clock.advance(0);
    answers = false;
    const monotonicMs = clock.monotonicMs.bind(clock);
    // The probe of this moment has no response in time, and much time has passed.
    clock.monotonicMs = () => monotonicMs() + 10_000;
    await clock.advance(1_500);
    answers = true;
    await clock.advance(1_500);
    expect(health.status).to.equal('up');
    expect(changes, 'reported once, as up').to.equal(0);
  });

  it('is also down if there was never a response', async () => {
    answers = false;
    health.start(null);
    await clock.advance(LIMIT_MS);
    expect(health.status).to.equal('down');
  });

  it('is not probed while the engine is disconnected, which does not count towards the limit', async () => {
    [answers, connected] = [false, false];
    health.start('up');
    await clock.advance(20_000);
    expect(probes).to.equal(0);
    expect(health.status).to.equal('up');
    connected = true;
    await clock.advance(2_000);
    expect(health.status).to.equal('up');
    await clock.advance(LIMIT_MS - 2_000);
    expect(health.status).to.equal('down');
  });

  it('continues from the previous owner’s result', () => {
    answers = false;
    health.start('down');
    expect(health.status).to.equal('down');
    expect(changes).to.equal(0);
  });

  it('is not probed after a stop, or if the address is unknown', async () => {
    health.start(null);
    health.stop();
    await clock.advance(5_000);
    expect(probes).to.equal(1);
    const blind = new SipHealth({
      address: null,
      isConnected: () => true,
      probe: { probe: () => Promise.reject(new Error('must not be probed')) },
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
  it('accepts any SIP response to it, and no other message', async () => {
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
      // The first request is lost.
      if (requests.length > 1) {
        server.send(`SIP/2.0 401 Unauthorized\r\n${via}\r\nCall-ID: ${callId}\r\n\r\n`, from);
      }
    });
    try {
      expect(await optionsProbe.probe('127.0.0.1', port, 5_000)).to.equal(true);
      expect(requests).to.have.length(2);
      expect(requests[0]).to.match(/^OPTIONS sip:127\.0\.0\.1:\d+ SIP\/2\.0\r\n/);
      expect(requests[0]).to.match(/\r\nVia: SIP\/2\.0\/UDP 127\.0\.0\.1:\d+;branch=z9hG4bK\w+;rport\r\n/);
      expect(requests[0]).to.match(/\r\nContent-Length: 0\r\n\r\n$/);
    } finally {
      server.close();
    }
    expect(await optionsProbe.probe('127.0.0.1', port, 200), 'no server').to.equal(false);
  });

  it('counts a response that arrived in time, while this process was busy', async () => {
    const server = await LateAnswers.start('SIP/2.0 200 OK\r\nCall-ID: @\r\n\r\n');
    const probed = optionsProbe.probe('127.0.0.1', server.port, BUSY_MS);
    await server.asked();
    server.answerDuring(2 * BUSY_MS);
    expect(await probed).to.equal(true);
    await server.stop();
  });

  it('times out without a response', async () => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    expect(await optionsProbe.probe('127.0.0.1', silent.address().port, 300)).to.equal(false);
    silent.close();
  });
});
