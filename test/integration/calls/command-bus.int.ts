import { expect } from 'chai';
import { RedisCommandBus } from '../../../adapters/commands/redis-bus.js';
import { connectRedis } from '../../../adapters/jobs/redis.js';
import { newId } from '../../../core/model/ids.js';
import { CommandTimeout, type EngineCommand, type CommandOutcome } from '../../../core/ports/command-bus.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';

function command(): EngineCommand {
  return { type: 'place', callId: newId() };
}

describe('commands between processes', function () {
  this.timeout(30_000);
  let redis: TestRedis;
  /** Two owners of one engine each, and a process that only sends commands. */
  let buses: RedisCommandBus[];
  let engines: [string, string];
  let received: EngineCommand[][];

  before(async () => {
    redis = await testRedis();
  });
  after(() => redis.close());
  beforeEach(() => {
    buses = Array.from({ length: 3 }, () =>
      RedisCommandBus.open(
        connectRedis(redis.url, 'test:publisher', quiet),
        connectRedis(redis.url, 'test:subscriber', quiet),
        quiet,
      ),
    );
    engines = [newId(), newId()];
    received = [[], []];
  });
  afterEach(() => Promise.all(buses.map((bus) => bus.close())));

  /** Makes the bus with this index the owner of the engine with that index. Resolves when commands arrive. */
  async function serve(index: 0 | 1, outcome: () => Promise<CommandOutcome>): Promise<() => Promise<void>> {
    const stop = await buses[index]!.serve(engines[index], (given) => {
      received[index]!.push(given);
      return outcome();
    });
    await eventually(async () => !(await refusal(engines[index])), 'the owner receives commands');
    received[index]!.length = 0;
    return stop;
  }

  const done = (): Promise<CommandOutcome> => Promise.resolve({ result: 'done' });

  async function refusal(engine: string): Promise<CommandTimeout | null> {
    try {
      await buses[2]!.send(engine, command());
      return null;
    } catch (error) {
      if (error instanceof CommandTimeout) return error;
      throw error;
    }
  }

  it('reach the owner of their engine only, each once, from a process that owns another engine too', async () => {
    await serve(0, done);
    await serve(1, () => Promise.resolve({ result: 'not_answered' }));
    const sent = Array.from({ length: 20 }, command);
    const outcomes = await Promise.all(sent.map((given, n) => buses[n % 3]!.send(engines[0], given)));
    expect(outcomes.every(({ result }) => result === 'done')).to.equal(true);
    expect(received[0]).to.have.deep.members(sent);
    expect(received[1]).to.deep.equal([]);
    expect(await buses[0]!.send(engines[1], command())).to.deep.equal({ result: 'not_answered' });
  });

  it('that no process receives fail immediately', async () => {
    expect(await refusal(newId())).to.include({ wasReceived: false });
    const stop = await serve(0, done);
    await stop();
    expect(await refusal(engines[0])).to.include({ wasReceived: false });
    expect(received[0]).to.deep.equal([]);
  });

  it('that several processes serve are answered by the one that takes them', async () => {
    await serve(0, done);
    await buses[1]!.serve(engines[0], (given) => {
      received[1]!.push(given);
      return Promise.resolve({ result: 'elsewhere' });
    });
    await eventually(async () => {
      expect(await buses[2]!.send(engines[0], command())).to.deep.equal({ result: 'done' });
      return received[1]!.length > 0;
    }, 'the second process serves, too');
  });

  it('wait as long as the sender says', async () => {
    let isHeld = false;
    const held: (() => void)[] = [];
    const answer = (): Promise<CommandOutcome> =>
      isHeld ? new Promise((resolve) => held.push(() => resolve({ result: 'done' }))) : done();
    await serve(0, answer);
    isHeld = true;
    const patient = buses[2]!.send(engines[0], command(), 2_000);
    const error = await buses[2]!.send(engines[0], command(), 50).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(CommandTimeout).and.include({ wasReceived: true });
    for (const release of held) release();
    expect(await patient).to.deep.equal({ result: 'done' });
  });

  it('that an owner does not answer time out, and are sent once', async () => {
    let isSilent = false;
    await serve(0, () => (isSilent ? new Promise(() => undefined) : done()));
    isSilent = true;
    expect(await refusal(engines[0])).to.include({ wasReceived: true });
    expect(received[0]).to.have.length(1);
  });
});
