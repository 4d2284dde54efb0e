import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { RedisRateLimiter, type RateLimiter } from '../../../core/services/access/rate-limit.js';
import { redisFor } from '../../support/api.js';
import { quiet } from '../../support/logger.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { outcome, widgetEach, WidgetStage } from '../../support/stages/widget-stage.js';

describe('the budgets of a click-to-call widget, over several processes', function () {
  this.timeout(60_000);
  let server: TestRedis;
  let redis: Redis;
  let prefix: string;
  let stage: WidgetStage;
  /** The processes' limiters, which take turns. */
  const processes: RateLimiter[] = [];
  let turn = 0;
  const limiter: RateLimiter = {
    take: (...asked) => processes[(turn += 1) % processes.length]!.take(...asked),
    giveBack: (...asked) => processes[turn % processes.length]!.giveBack(...asked),
  };

  before(async () => {
    server = await testRedis();
    redis = redisFor(server.url);
    await redis.connect();
  });
  after(async () => {
    redis.disconnect();
    await server.close();
  });
  beforeEach(() => {
    prefix = `hatif-test:${newId()}:`;
    start(2);
  });
  widgetEach(
    (made) => (stage = made),
    (database) => WidgetStage.start(database, limiter),
  );

  function start(count: number): void {
    processes.length = 0;
    for (let one = 0; one < count; one += 1) processes.push(new RedisRateLimiter(redis, quiet, systemClock, prefix));
  }

  const ring = async (key: string, index: number): Promise<string> =>
    outcome(await stage.request(key, { to: `+96650${10 + index}34567` }));

  for (const [what, own, limits] of [
    ['its own', { calls_per_hour: 5 }, {}],
    ['its project’s', {}, { perProject: 5 }],
  ] as const) {
    it(`are not exceeded by requests at the same time, nor forgotten by a restart: ${what}`, async () => {
      Object.assign(stage.limits, { perAddress: 1000, ...limits });
      Object.assign(stage.rules, { perAddress: 1000 });
      const { key, id } = await stage.widget(own);
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => ring(key, index)));
      expect(outcomes.filter((one) => one === '202 initiated')).to.have.length(5);
      expect(outcomes.filter((one) => one === '502 CALL_FAILED')).to.have.length(15);
      const calls = await stage.callbacks.database.db.query(`SELECT id FROM calls WHERE created_by_key = $1`, [id]);
      expect(calls).to.have.length(5);
      start(1);
      expect(await ring(key, 20)).to.equal('502 CALL_FAILED');
    });
  }

  it('of a block are not exceeded by requests at the same time', async () => {
    Object.assign(stage.limits, { perAddress: 1000 });
    Object.assign(stage.rules, { perAddress: 1000, perBlock: 5 });
    const { key } = await stage.widget();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => stage.request(key, { to: `+9665033300${10 + index}` })),
    );
    expect(answers.filter(({ status }) => status === 202)).to.have.length(5);
  });
});
