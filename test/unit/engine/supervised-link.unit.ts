import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { expect } from 'chai';
import { systemClock, type Clock } from '../../../core/ports/clock.js';
import { SupervisedLink, type EngineInstance, type LinkListener } from '../../../engine/common/supervised-link.js';
import { VirtualClock } from '../../../engine/simulator/virtual-clock.js';
import { quiet } from '../../support/logger.js';
import { LateAnswers } from '../../support/workers/late-answers.js';

/** Long enough for a ping to be sent. */
const PING_MS = 1_000;

class PingedLink extends SupervisedLink<{ close(reason: string): void }, EngineInstance, string> {
  readonly down: string[] = [];

  constructor(
    clock: Clock,
    private readonly onPing: () => Promise<unknown>,
  ) {
    const handlers = {
      onUp: () => Promise.resolve(() => undefined),
      onEvent: () => undefined,
      onDown: (reason: string) => void this.down.push(reason),
    };
    super('The engine', { pingIntervalMs: PING_MS, maxBackoffMs: 60_000 }, handlers, clock, quiet);
  }

  protected override open(listener: LinkListener<string>): Promise<{ close(reason: string): void }> {
    return Promise.resolve({ close: (reason) => listener.onClosed(reason) });
  }

  protected override subscribe(): Promise<EngineInstance> {
    return Promise.resolve({ bootId: 'boot', version: '1' });
  }

  protected override ping(): Promise<unknown> {
    return this.onPing();
  }
}

describe('the connection to an engine', () => {
  let link: PingedLink | null = null;
  afterEach(() => link?.stop());

  it('is dropped if the engine does not reply to a ping in time, and not before', async () => {
    const clock = new VirtualClock();
    let reply = (): void => undefined;
    link = new PingedLink(clock, () => new Promise((resolve) => (reply = () => resolve(null))));
    link.start();
    await clock.advance(2 * PING_MS - 1);
    reply();
    await clock.advance(PING_MS);
    expect(link.down, 'it replied to the first ping').to.deep.equal([]);
    await clock.advance(PING_MS);
    await new Promise(setImmediate);
    expect(link.down).to.deep.equal([`no reply to a ping within ${PING_MS} ms`]);
  });

  it('is kept if the reply arrived in time, while this process was busy', async () => {
    const engine = await LateAnswers.start('pong');
    const socket: Socket = createSocket('udp4');
    const replied = once(socket, 'message');
    link = new PingedLink(systemClock, () => {
      socket.send('ping', engine.port, '127.0.0.1');
      return replied;
    });
    link.start();
    await engine.asked();
    engine.answerDuring(2 * PING_MS);
    await replied;
    await new Promise(setImmediate);
    expect(link.down).to.deep.equal([]);
    expect(link.status.status).to.equal('up');
    socket.close();
    await engine.stop();
  });
});
