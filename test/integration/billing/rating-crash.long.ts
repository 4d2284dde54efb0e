import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Random } from '../../chaos/random.js';
import { costOf } from '../../../core/model/rating/rate.js';
import { billingEach, RATE, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { runMortal } from '../../support/workers/mortal.js';

const CALLS = 1_000;

describe('rating that is interrupted', function () {
  this.timeout(120_000);
  let stage: BillingStage;
  let folder: string;
  billingEach((made) => (stage = made));
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hatif-rating-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Runs the worker and kills it after this many calls are stored. @returns whether it finished before */
  const work = (file: string, callsUntilDeath = Infinity): Promise<boolean> =>
    runMortal('rating-worker', { WORK: file, DATABASE_URL: stage.url }, callsUntilDeath);

  it(`charges each of ${CALLS} concurrently ended calls exactly once, whenever the worker is killed`, async () => {
    await stage.plan([{ ...RATE, perMinute: 123_457, incrementSeconds: 1, minimumSeconds: 7 }]);
    const random = new Random(5);
    const seconds = Array.from({ length: CALLS }, () => random.between(0, 600));
    const file = join(folder, 'calls.json');
    await writeFile(file, JSON.stringify(seconds.map((talked) => stage.effect([{ seconds: talked }]))));
    for (const calls of [60, 300, 700]) expect(await work(file, calls), `killed after ${calls}`).to.equal(false);
    expect(await work(file)).to.equal(true);

    const rate = { ...RATE, perMinute: 123_457, incrementSeconds: 1, minimumSeconds: 7 };
    const due = seconds.reduce((sum, talked) => sum + costOf(rate, talked).amount, 0);
    const { organizationId, projectId } = stage.ground;
    expect(await stage.balances.project(organizationId, projectId)).to.equal(-due);
    const [sums] = await stage.db.query<{ calls: number; amount: number; entries: number; left: number }>(
      `SELECT (SELECT count(*) FROM call_ratings WHERE project_id = $1) AS calls,
         (SELECT sum(amount)::bigint FROM spent_days WHERE project_id = $1) AS amount,
         (SELECT count(*) FROM ledger_transactions WHERE organization_id = $2) AS entries,
         (SELECT count(*) FROM unrated_calls) AS left`,
      [projectId, organizationId],
    );
    expect(sums).to.deep.equal({ calls: CALLS, amount: due, entries: CALLS, left: 0 });
  });
});
