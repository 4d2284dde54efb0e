import { expect } from 'chai';
import { Redis } from 'ioredis';
import { RedisSipMemory } from '../../../adapters/sip/redis-memory.js';
import { quiet } from '../../support/logger.js';

/** A Redis that gets commands and gives no answer. */
class SilentRedis {
  commands = 0;

  constructor(public status: Redis['status']) {}

  eval = this.#unanswered;
  get = this.#unanswered;
  set = this.#unanswered;
  del = this.#unanswered;
  publish = this.#unanswered;

  get #unanswered(): () => Promise<never> {
    return () => {
      this.commands += 1;
      return new Promise<never>(() => undefined);
    };
  }
}

describe('the memory that processes of the SIP edge share', () => {
  /** No notices are followed here, so the second connection is never opened. */
  const over = (redis: SilentRedis): RedisSipMemory =>
    new RedisSipMemory(redis, new Redis({ lazyConnect: true }), quiet);

  it('waits for a silent Redis once, and then uses its own counts for a while', async () => {
    const redis = new SilentRedis('ready');
    const memory = over(redis);
    expect(await memory.read('a')).to.equal(null);
    expect(await memory.useNonce('n', 1, 10_000)).to.equal(true);
    expect(await memory.useNonce('n', 1, 10_000)).to.equal(false);
    expect([await memory.count('k', 10_000), await memory.count('k', 10_000)]).to.deep.equal([1, 2]);
    expect(redis.commands).to.equal(1);
  });

  it('asks nothing while the connection is lost, and again as soon as it is back', async () => {
    const redis = new SilentRedis('reconnecting');
    const memory = over(redis);
    expect(await memory.read('a')).to.equal(null);
    expect(redis.commands).to.equal(0);
    redis.status = 'ready';
    await memory.read('a');
    expect(redis.commands).to.equal(1);
  });
});
