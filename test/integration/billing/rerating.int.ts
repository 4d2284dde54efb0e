import { expect } from 'chai';
import { Cdr } from '../../../core/data/repositories/calls/cdr.js';
import { Invoices, type StoredInvoice } from '../../../core/data/repositories/billing/invoices.js';
import { Usage } from '../../../core/data/repositories/billing/usage.js';
import type { AuditRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { bookRatings, compareRatings, type RatingReport } from '../../../core/services/billing/rerating.js';
import { Spending } from '../../../core/services/billing/spending.js';
import { ReadUsage } from '../../../core/services/usage/read.js';
import { HatifCommand } from '../../support/command.js';
import { refusal } from '../../support/judges/refusal.js';
import { billingEach, RATE, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { issuerOn, riyadh } from '../../support/stages/billing/invoice-stage.js';

const [FROM, TO] = ['2026-08-01', '2026-08-31'];
const LATER = riyadh('2026-08-02T00:00:00');

describe('Booking rerated calls', function () {
  this.timeout(60_000);
  let stage: BillingStage;
  let organization: string;
  let project: string;
  billingEach((made) => {
    stage = made;
    ({ organizationId: organization, projectId: project } = stage.ground);
  });

  const book = (changes: object = {}): Promise<RatingReport> => {
    const { db, plans, ratings, ledger } = stage;
    const spending = new Spending(ratings, systemClock);
    const wake = (): void => undefined;
    return bookRatings({ db, plans, ratings, ledger, spending, clock: systemClock, wake, ...changes }, FROM, TO);
  };
  /** The differences of this test's project. */
  const own = ({ differences }: RatingReport): RatingReport['differences'] =>
    differences.filter(({ project_id }) => project_id === project);
  const balance = (): Promise<number> => stage.balances.project(organization, project);
  const call = async (day: string, seconds = 60): Promise<string> => {
    const { id } = await stage.finished([{ seconds, answeredAt: riyadh(`2026-08-${day}T12:00:00`) }]);
    await stage.rating.rateAll();
    return id;
  };
  /** A new version of the plan, valid from the second of August on. */
  const reprice = (name: string, perMinute: number, from = LATER): Promise<unknown> =>
    stage.planService.add(name, [{ ...RATE, perMinute }], from);
  const invoiced = async (month: string): Promise<StoredInvoice | null> => {
    await issuerOn(stage).run(month, organization, false);
    return new Invoices(stage.db).ofMonth(organization, month);
  };

  it('books each difference once, with an audit row, and leaves what was written as it is', async () => {
    const name = await stage.plan();
    const [early, late] = [await call('01'), await call('10')];
    await reprice(name, 200_000);
    expect(own(await book())).to.deep.equal([
      { call_id: late, project_id: project, day: '2026-08-10', was: 120_000, would_be: 200_000 },
    ]);
    expect(await balance()).to.equal(-320_000);
    expect(own(await book())).to.deep.equal([]);
    expect(await balance()).to.equal(-320_000);
    expect((await stage.ratings.ofCall(early))?.amount).to.equal(120_000);
    expect((await stage.ratings.ofCall(late))?.amount).to.equal(200_000);
    const [kept] = await stage.db.query<{ amount: number }>(`SELECT amount FROM call_ratings WHERE call_id = $1`, [
      late,
    ]);
    expect(kept?.amount).to.equal(120_000);
    const lines = await stage.balances.lines(organization, project, { before: null, limit: 10 });
    expect(lines.map(({ kind, reference, amount }) => [kind, reference, amount])).to.deep.include.members([
      ['call', late, -120_000],
      ['rerating', `${late}:1`, -80_000],
    ]);
    const audit = await stage.db.query<AuditRow>(`SELECT * FROM audit_log WHERE organization_id = $1`, [organization]);
    expect(audit.map(({ method, route, details }) => [method, route, details])).to.deep.equal([
      ['CLI', 'hatif rates rerate', { day: '2026-08-10', calls: 1, difference_sar: '0.08' }],
    ]);
    expect(await refusal(stage.db.query('UPDATE rating_corrections SET amount = 1'))).to.match(/never changed/);
  });

  it('books a second difference of the same call, up to a call that costs nothing', async () => {
    const name = await stage.plan();
    const id = await call('10');
    await reprice(name, 200_000);
    await book();
    await reprice(name, 0, riyadh('2026-08-03T00:00:00'));
    await book();
    expect(await balance()).to.equal(0);
    expect((await stage.ratings.ofCall(id))?.amount).to.equal(0);
  });

  it('keeps the plan by which a call was rated, whatever is assigned since', async () => {
    await stage.plan();
    await call('10');
    await stage.plan([{ ...RATE, perMinute: 999_999 }]);
    const { db, plans, ratings } = stage;
    expect(own(await compareRatings({ db, plans, ratings, clock: systemClock }, FROM, TO))).to.deep.equal([]);
    expect(own(await book())).to.deep.equal([]);
  });

  it('books once from five processes at the same time, and nothing of a day that fails', async () => {
    const name = await stage.plan();
    for (const day of ['05', '05', '06', '07']) await call(day);
    await reprice(name, 100_000);
    let booked = 0;
    const failing = {
      post: (...given: Parameters<typeof stage.ledger.post>) =>
        ++booked === 2 ? Promise.reject(new Error('the disk is full')) : stage.ledger.post(...given),
    };
    expect(await refusal(book({ ledger: failing }))).to.match(/disk is full/);
    expect(await balance(), 'the first day is booked').to.equal(-4 * 120_000 + 2 * 20_000);
    await Promise.all(Array.from({ length: 5 }, () => book()));
    expect(await balance()).to.equal(-4 * 100_000);
  });

  it('shows the new cost in usage, records, spend and the next invoice alike', async () => {
    const name = await stage.plan();
    await call('10', 61);
    await call('11', 30);
    expect((await invoiced('2026-08'))?.net).to.equal(360_000);
    await reprice(name, 220_000);
    await book();
    const scope = { projectId: project, sandboxOnly: false, accountKind: 'production' } as const;
    const period = { from: riyadh('2026-08-01T00:00:00'), to: riyadh('2026-08-31T23:59:59.999') };
    for (const isFolded of [false, true]) {
      if (isFolded) await new Usage(stage.db).fold(1_000);
      const { data } = await new ReadUsage(new Usage(stage.db)).read(scope, period);
      expect(data.estimated_cost_sar).to.equal(0.66);
      // Part of an hour: read from the calls themselves.
      const noon = { from: riyadh('2026-08-10T11:50:00'), to: riyadh('2026-08-10T12:10:00') };
      expect((await new ReadUsage(new Usage(stage.db)).read(scope, noon)).data.estimated_cost_sar).to.equal(0.44);
    }
    const records = await new Cdr(stage.db).page(
      project,
      { from: period.from, before: riyadh('2026-09-01T00:00:00') },
      null,
      9,
    );
    expect(records.map(({ amount }) => amount)).to.deep.equal([440_000, 220_000]);
    expect((await stage.ratings.spent(project, '2026-08-10')).of_month).to.equal(660_000);
    const next = await invoiced('2026-09');
    expect(next?.lines.map(({ month, quantity, exact }) => [month, quantity, exact])).to.deep.equal([
      ['2026-08', 0, 300_000],
    ]);
    expect(await invoiced('2026-10')).to.equal(null);
  });

  it('lowers the next invoice that has something to pay, also for calls that cost nothing any more', async () => {
    const name = await stage.plan();
    await call('10');
    const first = await invoiced('2026-08');
    await reprice(name, 0);
    await book();
    expect(await invoiced('2026-09'), 'nothing to pay').to.equal(null);
    const usage = {
      eventId: newId(),
      type: 'sms',
      quantity: 1,
      unitPrice: 500_000,
      occurredAt: riyadh('2026-10-05T12:00:00'),
    };
    await stage.billing.reportedUsage.add({ organizationId: organization, projectId: project }, usage);
    const next = await invoiced('2026-10');
    expect(next?.lines.map(({ month, kind, quantity, amount }) => [month, kind, quantity, amount])).to.deep.equal([
      ['2026-10', 'usage', 1, 500_000],
      ['2026-08', 'calls', -1, -120_000],
    ]);
    expect(next?.net).to.equal(380_000);
    expect(await new Invoices(stage.db).get(organization, first!.id)).to.deep.equal(first);
    expect(await balance()).to.equal(-500_000);
  });

  it('is a command of the operator, which books only with --book', async () => {
    const command = await HatifCommand.over(stage.url);
    try {
      const name = await stage.plan();
      await call('20');
      await reprice(name, 150_000, riyadh('2026-08-20T00:00:00'));
      const days = ['2026-08-20', '2026-08-20'];
      expect((await command.run(['rates', 'rerate', ...days])).stdout).to.match(/Nothing was changed/);
      expect(await balance()).to.equal(-120_000);
      expect((await command.run(['rates', 'rerate', ...days, '--book'])).stdout).to.match(/1 differences were booked/);
      expect((await command.run(['rates', 'rerate', ...days, '--book'])).stdout).to.match(/0 differences were booked/);
      expect(await balance()).to.equal(-150_000);
      expect((await command.run(['rates', 'rerate', '2026-08-21', '2026-08-20'])).code).to.equal(2);
    } finally {
      await command.close();
    }
  });
});
