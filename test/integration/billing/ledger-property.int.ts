import { expect } from 'chai';
import { Random } from '../../chaos/random.js';
import { newId } from '../../../core/model/ids.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { costOf, type Rate } from '../../../core/model/rating/rate.js';
import { riyadhDay } from '../../../core/model/riyadh.js';
import { systemClock } from '../../../core/ports/clock.js';
import { Credit } from '../../../core/services/billing/credit.js';
import { compareRatings } from '../../../core/services/billing/rerating.js';
import { billingEach, RATE, raterOn, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { plainRate } from '../../support/judges/usage-oracle.js';
import { insertRows, projectRow } from '../../support/rows/rows.js';

const SEEDS = [1, 2, 3, 4];
const STEPS = 240;
const WORKERS = 8;
const RATES: readonly Rate[] = [
  { ...RATE, perMinute: 123_457, incrementSeconds: 7 },
  { ...RATE, prefix: '1415', perMinute: 900_001, incrementSeconds: 1, minimumSeconds: 30 },
];
const NUMBERS = ['+966501234517', '+14155550100'];
/** Expected errors are ignored; anything else fails the test. */
const REFUSALS = [
  'INSUFFICIENT_CREDITS',
  'INSUFFICIENT_POOL_BALANCE',
  'INSUFFICIENT_PROJECT_BALANCE',
  'DUPLICATE_USAGE_EVENT',
];

describe('the ledger, under random concurrent operations', function () {
  this.timeout(120_000);
  let stage: BillingStage;
  billingEach((made) => (stage = made));

  for (const seed of SEEDS) {
    it(`neither creates nor loses money, and keeps no holds for finished calls (seed ${seed})`, async () => {
      const random = new Random(seed);
      const { organizationId } = stage.ground;
      const projects = [stage.ground.projectId, newId()];
      await insertRows(stage.db, 'projects', [projectRow({ ...stage.ground, projectId: projects[1]! })]);
      const name = await stage.plan(RATES);
      await stage.planService.setMode(organizationId, 'prepaid');
      /** The expected balance of each account. */
      const due = { pool: 0, projects: new Map(projects.map((id) => [id, 0])) };
      const add = (projectId: string, amount: number): void =>
        void due.projects.set(projectId, due.projects.get(projectId)! + amount);
      const references = Array.from({ length: 20 }, () => newId());

      const steps: readonly (() => Promise<unknown>)[] = [
        async () => {
          const [amount, reference] = [random.between(1, 50_000_000), random.pick(references)];
          if (await stage.balances.topUp(organizationId, amount, reference, null)) due.pool += amount;
        },
        async () => {
          const [projectId, amount] = [random.pick(projects), random.between(1, 30_000_000) * random.pick([1, 1, -1])];
          await stage.balances.allocate(organizationId, projectId, amount);
          due.pool -= amount;
          add(projectId, amount);
        },
        async () => {
          const [eventId, projectId] = [random.pick(references), random.pick(projects)];
          const [quantity, unitPrice] = [random.between(1, 9), random.between(0, 700_000)];
          const event = { eventId, type: 'sms', quantity, unitPrice, occurredAt: undefined };
          await stage.billing.reportedUsage.add({ organizationId, projectId }, event);
          add(projectId, -quantity * unitPrice);
        },
        async () => {
          const [id, projectId, number] = [newId(), random.pick(projects), random.pick(NUMBERS)];
          const seconds = random.between(0, 400);
          const leg = { direction: 'outbound', kind: 'outbound', number } as const;
          const isLost = random.chance(0.2);
          await stage.credit.hold(id, { organizationId, projectId }, leg);
          if (random.chance(0.4)) {
            const answered = { ...leg, answeredAt: new Date(Date.now() - 1_000), endedAt: null };
            await stage.credit.extend(id, { organizationId, projectId }, { answered: [answered], unanswered: [] });
          }
          // The process that held money for the call died before recording it.
          if (isLost) return;
          await stage.finished([{ seconds, number }], { id, project_id: projectId });
          add(projectId, -costOf(plainRate(RATES, leg)!, seconds).amount);
        },
        () => stage.rating.rate(),
        () => raterOn(stage.db).rate(),
        async () => {
          const day = riyadhDay(new Date());
          await compareRatings(
            { db: stage.db, plans: stage.plans, ratings: stage.ratings, clock: systemClock },
            day,
            day,
          );
        },
        // Legs answered before the version came into force keep their cost.
        () =>
          stage.planService.add(
            name,
            [RATE],
            new Date(Date.now() + random.between(1, 9) * 86_400_000 + random.between(0, 86_000_000)),
          ),
        () => stage.credit.sweep(),
      ];
      let left = STEPS;
      const work = async (): Promise<void> => {
        while (left-- > 0) {
          await random
            .pick(steps)()
            .catch((error: unknown) => {
              if (!(error instanceof HatifError) || !REFUSALS.some((code) => error.code === code)) throw error;
            });
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, work));
      await stage.rating.rateAll();

      expect(await stage.balances.pool(organizationId)).to.equal(due.pool);
      expect(due.pool).to.be.at.least(0);
      for (const [projectId, amount] of due.projects)
        expect(await stage.balances.project(organizationId, projectId)).to.equal(amount);
      const [sums] = await stage.db.query<{ whole: number; unbalanced: number; wrong: number }>(
        `SELECT (SELECT sum(amount)::bigint FROM ledger_entries) AS whole,
           (SELECT count(*) FROM (SELECT FROM ledger_entries GROUP BY transaction_id HAVING sum(amount) <> 0) AS each) AS unbalanced,
           (SELECT count(*) FROM ledger_accounts AS account
            WHERE balance <> (SELECT sum(amount) FROM ledger_entries WHERE account_id = account.id)) AS wrong`,
      );
      expect(sums).to.deep.equal({ whole: 0, unbalanced: 0, wrong: 0 });

      const { db, plans, ratings, ledger, holds } = stage;
      const later = {
        ...systemClock,
        now: () => new Date(Date.now() + 120_000),
        after: systemClock.after.bind(systemClock),
      };
      await new Credit({ db, plans, ratings, ledger, holds, clock: later }).sweep();
      for (const projectId of projects) expect(await holds.sum(projectId), 'held for finished calls').to.equal(0);
    });
  }

  it('rejects changes and truncation in the database', async () => {
    await stage.balances.topUp(stage.ground.organizationId, 1, newId(), null);
    for (const table of ['ledger_entries', 'ledger_transactions'])
      for (const sql of [
        `DELETE FROM ${table}`,
        `TRUNCATE ${table} CASCADE`,
        `UPDATE ${table} SET ${table === 'ledger_entries' ? 'amount = 1' : `kind = 'x'`}`,
      ]) {
        const error = await stage.db.query(sql).then(
          () => null,
          (thrown: unknown) => thrown,
        );
        expect(String(error), sql).to.match(/never changed or deleted/);
      }
  });
});
