import { expect } from 'chai';
import type { EventRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { riyadhDay } from '../../../core/model/riyadh.js';
import { systemClock } from '../../../core/ports/clock.js';
import { compareRatings, type RatingReport } from '../../../core/services/billing/rerating.js';
import { billingEach, RATE, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { refusal } from '../../support/judges/refusal.js';
import { endpointRow, insertRows, legRow } from '../../support/rows/rows.js';

describe('Rating', () => {
  let stage: BillingStage;
  billingEach((made) => (stage = made));

  const balance = (): Promise<number> => stage.balances.project(stage.ground.organizationId, stage.ground.projectId);

  it('charges the cost of a call to its project, each leg by its own number, once', async () => {
    await stage.plan([RATE, { ...RATE, prefix: '1', perMinute: 900_000, incrementSeconds: 1 }]);
    const call = await stage.finished([{ seconds: 61 }, { seconds: 10, number: '+14155550100' }]);
    await stage.rating.rateAll();
    await stage.rating.rateAll();
    const row = await stage.ratings.ofCall(call.id);
    expect(row).to.include({ amount: 390_000, project_id: stage.ground.projectId });
    expect(
      row?.lines.map(({ prefix, billed_seconds, amount }) => [prefix, billed_seconds, amount]),
    ).to.have.deep.members([
      ['', 120, 240_000],
      ['1', 10, 150_000],
    ]);
    expect(await balance()).to.equal(-390_000);
    expect(await stage.ledger.balance(stage.ground.organizationId, { type: 'revenue', projectId: null })).to.equal(
      390_000,
    );
  });

  it('uses the version in force when the leg was answered', async () => {
    const change = new Date('2026-03-01T00:00:00+03:00');
    const name = await stage.plan();
    await stage.planService.add(name, [{ ...RATE, perMinute: 200_000 }], change);
    const before = await stage.finished([{ seconds: 30, answeredAt: new Date(change.getTime() - 1) }]);
    const after = await stage.finished([{ seconds: 30, answeredAt: change }]);
    await stage.rating.rateAll();
    expect((await stage.ratings.ofCall(before.id))?.amount).to.equal(120_000);
    expect((await stage.ratings.ofCall(before.id))?.day).to.equal('2026-02-28');
    expect((await stage.ratings.ofCall(after.id))?.amount).to.equal(200_000);
  });

  it('costs nothing if the plan has no rate, and is still recorded', async () => {
    await stage.plan([{ ...RATE, direction: 'inbound' }]);
    const call = await stage.finished([{ seconds: 30 }]);
    await stage.rating.rateAll();
    expect(await stage.ratings.ofCall(call.id)).to.include({ amount: 0 });
    expect(await balance()).to.equal(0);
  });

  it('skips calls in progress and calls of sandbox keys', async () => {
    await stage.plan();
    const { call, legs, charges, ...rest } = stage.effect([{ seconds: 30 }]);
    const transferred = legRow(call.id, { role: 'transfer', status: 'answered', answered_at: new Date() });
    await stage.writer.commit({ ...rest, call, legs: [...legs, transferred], charges });
    const live = await stage.finished([{ seconds: 30 }], { status: 'answered', ended_at: null });
    const sandbox = await stage.finished([{ seconds: 30 }], { sandbox: true });
    await stage.rating.rateAll();
    for (const { id } of [call, live, sandbox]) expect(await stage.ratings.ofCall(id)).to.equal(null);

    await stage.db.query(`UPDATE legs SET status = 'ended', ended_at = now() WHERE id = $1`, [transferred.id]);
    await stage.rating.rateAll();
    expect(await stage.ratings.ofCall(call.id)).to.include({ amount: 120_000 });
  });

  it('rates each call once, however many workers run concurrently', async () => {
    await stage.plan();
    await Promise.all(Array.from({ length: 450 }, () => stage.finished([{ seconds: 30 }])));
    await Promise.all(Array.from({ length: 5 }, () => stage.rater().rateAll()));
    expect(await balance()).to.equal(-450 * 120_000);
  });

  it('uses the settings’ prices for organizations without their own plan, from the change on', async () => {
    const price = { direction: 'outbound', kind: null, perMinute: 60_000 } as const;
    await stage.planService.syncDefaultPlan([price]);
    await stage.planService.syncDefaultPlan([price]);
    const old = await stage.finished([{ seconds: 30 }]);
    await stage.planService.syncDefaultPlan([{ ...price, perMinute: 70_000 }]);
    const { plan, version } = await stage.planService.current(stage.ground.organizationId);
    expect([plan.name, version.version]).to.deep.equal(['default', 2]);
    const next = await stage.finished([{ seconds: 30, answeredAt: new Date(Date.now() + 1000) }]);
    await stage.rating.rateAll();
    expect((await stage.ratings.ofCall(old.id))?.amount).to.equal(60_000);
    expect((await stage.ratings.ofCall(next.id))?.amount).to.equal(70_000);
  });

  describe('compared with current plans', () => {
    const today = riyadhDay(new Date());
    const again = (): Promise<RatingReport> =>
      compareRatings({ db: stage.db, plans: stage.plans, ratings: stage.ratings, clock: systemClock }, today, today);
    /** The differences of this test's project. */
    const own = ({ differences }: RatingReport): RatingReport['differences'] =>
      differences.filter(({ project_id }) => project_id === stage.ground.projectId);

    it('gives the same sum', async () => {
      await stage.plan();
      await stage.finished([{ seconds: 30 }, { seconds: 70 }]);
      await stage.rating.rateAll();
      const report = await again();
      expect(report.calls).to.be.at.least(1);
      expect(report.would_be).to.equal(report.was);
      expect(report.differences).to.deep.equal([]);
    });

    it('lists each call whose cost a version in the past changes, and changes nothing', async () => {
      const name = await stage.plan();
      const call = await stage.finished([{ seconds: 30 }]);
      await stage.rating.rateAll();
      await stage.planService.add(name, [{ ...RATE, perMinute: 100_000 }], new Date(Date.now() - 3_600_000));
      expect(own(await again())).to.deep.equal([
        { call_id: call.id, project_id: stage.ground.projectId, day: today, was: 120_000, would_be: 100_000 },
      ]);
      expect(await balance()).to.equal(-120_000);
    });
  });

  describe('near a cap', () => {
    const thresholdEvents = async (): Promise<object[]> => {
      const rows = await stage.db.query<EventRow>(
        `SELECT * FROM events WHERE project_id = $1 AND type = 'usage.threshold' ORDER BY id`,
        [stage.ground.projectId],
      );
      return rows.map(({ data }) => data);
    };

    it('sends events at 80 and 100 percent of the day and the month, each once', async () => {
      await stage.plan();
      const { projectId } = stage.ground;
      await stage.ratings.setCaps({ project_id: projectId, day: 1_200_000, month: 2_400_000 });
      await insertRows(stage.db, 'webhook_endpoints', [endpointRow(stage.ground, { events: ['usage.*'] })]);
      const spend = async (calls: number): Promise<void> => {
        await Promise.all(Array.from({ length: calls }, () => stage.finished([{ seconds: 60 }])));
        await stage.rating.rateAll();
      };
      await spend(7);
      expect(await thresholdEvents()).to.deep.equal([]);
      await spend(1);
      const day = riyadhDay(new Date());
      const month = `${day.slice(0, 7)}-01`;
      const ofDay = { project_id: projectId, period: 'day', starts: day, cap_sar: 1.2, currency: 'SAR' };
      expect(await thresholdEvents()).to.deep.equal([{ ...ofDay, percent: 80, spent_sar: 0.96 }]);
      expect(stage.woken).not.to.deep.equal([]);
      await spend(2);
      await spend(1);
      expect((await thresholdEvents()).slice(1)).to.deep.equal([{ ...ofDay, percent: 100, spent_sar: 1.2 }]);
      await spend(10);
      const ofMonth = { ...ofDay, period: 'month', starts: month, cap_sar: 2.4, spent_sar: 2.52 };
      expect((await thresholdEvents()).slice(2)).to.deep.equal([
        { ...ofMonth, percent: 80 },
        { ...ofMonth, percent: 100 },
      ]);
    });
  });
});

describe('The ledger', () => {
  let stage: BillingStage;
  billingEach((made) => (stage = made));

  it('rejects entries whose sum is not zero', async () => {
    const { organizationId, projectId } = stage.ground;
    const entries = [
      { type: 'project', projectId, amount: 5 },
      { type: 'revenue', projectId: null, amount: -4 },
    ] as const;
    const posting = { organizationId, kind: 'test', reference: newId(), note: null, entries };
    const posted = stage.db.transaction((tx) => stage.ledger.post(tx, [posting], new Date()));
    expect(await refusal(posted)).to.match(/sum up to zero/);
  });

  it('posts a repeated reference once', async () => {
    const { organizationId } = stage.ground;
    const reference = newId();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => stage.balances.topUp(organizationId, 5_000_000, reference, null)),
    );
    expect(all.filter(Boolean)).to.have.length(1);
    expect(await stage.balances.pool(organizationId)).to.equal(5_000_000);
  });

  it('cannot be changed', async () => {
    await stage.balances.topUp(stage.ground.organizationId, 1, newId(), null);
    for (const sql of [
      'UPDATE ledger_entries SET amount = amount + 1',
      'DELETE FROM ledger_entries',
      'UPDATE ledger_transactions SET note = $$x$$',
      'UPDATE call_ratings SET amount = 0',
      'UPDATE rates SET per_minute = 0',
    ])
      expect(await refusal(stage.db.query(sql)), sql).to.match(/never changed or deleted/);
  });

  it('never allocates more than the pool holds under concurrency, and returns no more than is available', async () => {
    const { organizationId, projectId } = stage.ground;
    await stage.balances.topUp(organizationId, 10_000_000, newId(), null);
    const asked = await Promise.allSettled(
      Array.from({ length: 5 }, () => stage.balances.allocate(organizationId, projectId, 3_000_000)),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).to.have.length(3);
    expect(await stage.balances.pool(organizationId)).to.equal(1_000_000);
    expect(await refusal(stage.balances.allocate(organizationId, projectId, -9_000_001))).to.match(/9\.00 SAR/);
    await stage.balances.allocate(organizationId, projectId, -9_000_000);
    expect(await stage.balances.pool(organizationId)).to.equal(10_000_000);
  });
});
