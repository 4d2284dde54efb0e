import { expect } from 'chai';
import { Random } from '../../chaos/random.js';
import { CallWriter } from '../../../core/data/call-writer.js';
import { Usage } from '../../../core/data/repositories/billing/usage.js';
import { newId } from '../../../core/model/ids.js';
import { UsageFolding } from '../../../core/services/usage/folding.js';
import { raterOn } from '../../support/stages/billing/billing-stage.js';
import { eventually } from '../../support/eventually.js';
import { runOften } from '../../support/periodic.js';
import { effectOf } from '../../support/rows/rows.js';
import { chargesOf, randomCall, randomQuery, randomStep } from '../../support/rows/usage-calls.js';
import { usageEach, type UsageStage } from '../../support/stages/billing/usage-stage.js';

describe('usage under concurrent changes', function () {
  this.timeout(120_000);
  let stage: UsageStage;
  usageEach((made) => (stage = made));
  const queues = [newId(), newId()];

  it('equals plain SQL at the same moment, with several writers and several processes that roll up', async () => {
    const random = new Random(9);
    let isWriting = true;
    /** A separate process that owns calls. */
    const write = async (own: Random): Promise<void> => {
      const writer = new CallWriter(stage.db, { spacingMs: 0 });
      for (let index = 0; index < 12; index++) {
        const calls = Array.from({ length: 25 }, () => randomCall(own, [stage.ground], queues));
        for (let moving = [...calls]; moving.length > 0;) {
          await Promise.all(moving.map((call) => writer.commit(effectOf(call, { events: [], ...chargesOf(call) }))));
          moving = moving.map((call) => randomStep(own, call)).filter((next) => next !== null);
        }
      }
    };
    const whileWriting = async (work: () => Promise<unknown>): Promise<void> => {
      while (isWriting) await work();
    };
    let moments = 0;
    const compare = (): Promise<void> =>
      stage.db.transaction(async (tx) => {
        await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        await stage.expectPlainOn(tx, randomQuery(random, queues), random.pick(stage.keys));
        moments += 1;
      });
    await Promise.all([
      Promise.all([1, 2, 3].map((seed) => write(new Random(seed)))).finally(() => (isWriting = false)),
      whileWriting(() => stage.usage.fold(5)),
      whileWriting(() => stage.usage.fold(50)),
      whileWriting(() => new Usage(stage.db).fold(1_000)),
      whileWriting(() => stage.rating.rate()),
      whileWriting(() => raterOn(stage.db).rate()),
      whileWriting(compare),
      whileWriting(compare),
    ]);
    expect(moments).to.be.above(10);
    await stage.expectPlain({ groupBy: 'status' });
    expect((await stage.read()).data.total_calls).to.equal(3 * 12 * 25);
  });

  it('is rolled up automatically, and stays complete when that stops', async () => {
    for (let index = 0; index < 20; index++) await stage.call({ status: 'missed' });
    const left = async (): Promise<number> => (await stage.db.query('SELECT 1 FROM usage_deltas')).length;
    expect(await left()).to.be.above(0);
    const stop = runOften(new UsageFolding({ usage: stage.usage }));
    await eventually(async () => (await left()) === 0, 'everything is rolled up');
    await stop();
    await stage.call({ status: 'missed' });
    expect(await left()).to.equal(1);
    await stage.expectPlain({ groupBy: 'status' });
    expect((await stage.read()).data.calls_missed).to.equal(21);
  });
});
