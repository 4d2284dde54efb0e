import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { once } from 'node:events';
import { createLogger } from '../../../api/http/logging.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { RedisRateLimiter } from '../../../core/services/access/rate-limit.js';
import { redisFor, testApi, type Answer, type TestApi } from '../../support/api.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { envelopeProblems } from '../../support/judges/route-contract.js';
import { Gate, sampleRoutes } from '../../support/sample-routes.js';

describe('rate limits', () => {
  let database: TestDatabase;
  let server: TestRedis;
  let redis: Redis;
  let api: TestApi;

  before(async function () {
    this.timeout(60_000);
    [database, server] = await Promise.all([testDatabase(), testRedis()]);
    redis = redisFor(server.url);
    await redis.connect();
    const limits = { sandboxPerMinute: 3, livePerMinute: 5, addressPerMinute: 100_000 };
    api = await testApi({ db: database.db, routes: sampleRoutes(new Gate()), redis, limits });
  });
  after(async () => {
    await api.close();
    redis.disconnect();
    await server.close();
    await database.close();
  });

  const list = (key: string): Promise<Answer> => api.request('GET', '/v1/orders', { key });
  const numbers = ({ headers }: Answer) =>
    ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) => Number(headers.get(name)));

  it('counts down to the limit and rejects the next request, with the seconds to wait', async () => {
    const { key } = await api.key({ kind: 'sandbox', rateLimitPerMinute: null });
    for (const left of [2, 1, 0]) {
      const answer = await list(key);
      expect(answer.status).to.equal(200);
      expect(numbers(answer)).to.deep.equal([3, left]);
      const reset = Number(answer.headers.get('x-ratelimit-reset'));
      expect(reset).to.be.within(1, 60);
      expect(answer.headers.get('ratelimit-policy')).to.equal('"key";q=3;w=60');
      expect(answer.headers.get('ratelimit')).to.equal(`"key";r=${left};t=${reset}`);
    }
    const refused = await list(key);
    expect([refused.status, refused.body?.error_code]).to.deep.equal([429, 'RATE_LIMIT_EXCEEDED']);
    expect(envelopeProblems(refused, api)).to.deep.equal([]);
    expect(numbers(refused)).to.deep.equal([3, 0]);
    expect(refused.headers.get('retry-after')).to.equal(refused.headers.get('x-ratelimit-reset'));
    expect(refused.body?.message).to.include('More than 3 requests');
  });

  it('admits exactly the limit of many concurrent requests', async () => {
    const { key } = await api.key({ rateLimitPerMinute: null });
    const answers = await Promise.all(Array.from({ length: 20 }, () => list(key)));
    expect(answers.filter(({ status }) => status === 200)).to.have.lengthOf(5);
    expect(answers.filter(({ status }) => status === 429)).to.have.lengthOf(15);
  });

  it('prefers the key’s own limit to that of its kind', async () => {
    const { key } = await api.key({ rateLimitPerMinute: 9 });
    expect(numbers(await list(key))).to.deep.equal([9, 8]);
  });

  it('limits a route separately if its definition says so', async () => {
    const { key } = await api.key();
    const hurry = () => api.request('POST', '/v1/orders/1/hurry', { key });
    expect([(await hurry()).status, (await hurry()).status]).to.deep.equal([200, 200]);
    const refused = await hurry();
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('ratelimit-policy')).to.equal('"route";q=2;w=60');
    expect((await list(key)).status).to.equal(200);
  });

  it('slides: capacity returns when the oldest request leaves the window, not at the turn of a minute', async () => {
    const limiter = new RedisRateLimiter(
      redis,
      createLogger({ level: 'silent' }),
      systemClock,
      `hatif-test:${newId()}:`,
    );
    const subject = newId();
    const take = async () => (await limiter.take(subject, 2, 1)).allowed;
    const start = Date.now();
    expect([await take(), await take(), await take()]).to.deep.equal([true, true, false]);
    let refusals = 0;
    while (!(await take())) refusals += 1;
    // Rejected requests are not counted; otherwise constant retries would never succeed.
    expect(refusals).to.be.above(0);
    // 50 ms of tolerance between the clocks of Redis and of this process.
    expect(Date.now() - start).to.be.at.least(950);
  });

  it('limits an address before checking the key', async () => {
    const limited = await testApi({
      db: database.db,
      routes: sampleRoutes(new Gate()),
      limits: { addressPerMinute: 3 },
    });
    try {
      const { key } = await limited.key();
      expect((await limited.request('GET', '/v1/orders', { key })).status).to.equal(200);
      expect((await limited.request('GET', '/v1/orders')).status).to.equal(401);
      const last = await limited.request('GET', '/v1/nothing');
      expect([last.status, last.headers.get('ratelimit-policy')]).to.deep.equal([404, '"address";q=3;w=60']);
      for (const path of ['/v1/orders', '/v1/nothing', '/docs']) {
        const refused = await limited.request('GET', path, { key });
        expect([refused.status, refused.body?.error_code], path).to.deep.equal([429, 'RATE_LIMIT_EXCEEDED']);
        expect(envelopeProblems(refused, limited)).to.deep.equal([]);
      }
    } finally {
      await limited.close();
    }
  });

  it('keeps serving and counting requests while Redis is unavailable', async () => {
    const away = redisFor(server.url);
    await away.connect();
    const limits = { livePerMinute: 2 };
    const alone = await testApi({ db: database.db, routes: sampleRoutes(new Gate()), redis: away, limits });
    try {
      const { key } = await alone.key({ rateLimitPerMinute: null });
      const status = async () => (await alone.request('GET', '/v1/orders', { key })).status;
      expect(await status()).to.equal(200);
      const ended = once(away, 'end');
      away.disconnect();
      await ended;
      expect([await status(), await status(), await status()]).to.deep.equal([200, 200, 429]);
      expect(alone.log.filter((line) => line.includes('Redis is unavailable'))).to.have.lengthOf(1);
      await away.connect();
      expect([await status(), await status()]).to.deep.equal([200, 429]);
      expect(alone.log.some((line) => line.includes('Redis is available again'))).to.equal(true);
    } finally {
      await alone.close();
      away.disconnect();
    }
  });
});
