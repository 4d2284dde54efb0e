import { Random } from '../../chaos/random.js';
import type { CallRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { randomCall, randomQuery, randomStep } from '../rows/usage-calls.js';
import { usageEach, type UsageStage } from '../stages/billing/usage-stage.js';

const ROUNDS = 4;
const CALLS_A_ROUND = 150;
const QUERIES_A_ROUND = 40;

/** Compares every usage query with plain SQL over random calls. The seed makes a failed run reproducible. */
export function usageBesidePlainSql(seeds: readonly number[]): void {
  let stage: UsageStage;
  usageEach((made) => (stage = made));

  for (const seed of seeds) {
    it(`equals plain SQL for random calls, at every moment of their lives (seed ${seed})`, async () => {
      const random = new Random(seed);
      const queues = [newId(), newId(), newId()].sort();
      const grounds = [stage.ground, { ...stage.ground, projectId: stage.trial.projectId }];
      let calls: CallRow[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const made = Array.from({ length: CALLS_A_ROUND }, () => randomCall(random, grounds, queues));
        await Promise.all(made.map((call) => stage.write(call)));
        const gone = calls.map((call) => randomStep(random, call) ?? call);
        // Events that were already stored are written again, as if from a journal.
        await Promise.all(gone.map((call) => stage.write(call)));
        calls = [...made, ...gone];
        if (random.chance(0.5)) await stage.rating.rate();
        if (random.chance(0.7)) await stage.usage.fold(random.pick([1, 17, 10_000]));
        for (let index = 0; index < QUERIES_A_ROUND; index++) {
          await stage.expectPlain(randomQuery(random, queues), random.pick(stage.keys));
        }
      }
    });
  }
}
