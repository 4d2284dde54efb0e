import { expect } from 'chai';
import { billingRoutes } from '../../../api/routes/billing/billing.js';
import { Inventory, UNASSIGNED } from '../../../core/data/repositories/numbers/inventory.js';
import { Invoices } from '../../../core/data/repositories/billing/invoices.js';
import type { InventoryRow, NumberFeeRow } from '../../../core/data/rows.js';
import { newId } from '../../../core/model/ids.js';
import type { NumberFee } from '../../../core/model/rating/number-fee.js';
import { systemClock } from '../../../core/ports/clock.js';
import { RatingWorker } from '../../../core/services/billing/rating-worker.js';
import { newNumberRow } from '../../../core/services/numbers/number-assigner.js';
import { testApi } from '../../support/api.js';
import { refusal } from '../../support/judges/refusal.js';
import { insertProject, ownerIn, type Ground } from '../../support/rows/rows.js';
import { billingEach, RATE, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { issuerOn, riyadh } from '../../support/stages/billing/invoice-stage.js';
import { runMortal } from '../../support/workers/mortal.js';

const FEES: readonly NumberFee[] = [
  { kind: null, prefix: '', monthly: 10_000_000 },
  { kind: 'mobile', prefix: '', monthly: 20_500_000 },
  { kind: null, prefix: '966115', monthly: 15_000_000 },
];
let last = 0;

describe('Fees of numbers', function () {
  this.timeout(60_000);
  let stage: BillingStage;
  let inventory: Inventory;
  billingEach((made) => {
    stage = made;
    inventory = new Inventory(stage.db);
  });

  type Owner = Pick<Ground, 'organizationId' | 'projectId'>;
  const newNumber = async (at: Date, changes: Partial<InventoryRow> = {}): Promise<string> => {
    last += 1;
    const e164 = changes.e164 ?? `+96611400${String(last).padStart(4, '0')}`;
    const made = { kind: 'geographic', state: 'available', source: 'operator' } as const;
    await inventory.add([newNumberRow({ ...made, ...changes, e164 }, at)], 'added');
    return e164;
  };
  const assign = async (e164: string, at: Date, { organizationId, projectId }: Owner = stage.ground): Promise<void> => {
    const owner = { organization_id: organizationId, project_id: projectId, assigned_at: at };
    await inventory.move(e164, { from: ['available'], to: 'assigned', changes: owner, reason: 'assigned', at });
  };
  const release = async (e164: string, at: Date): Promise<void> => {
    await inventory.move(e164, { from: ['assigned'], to: 'quarantined', changes: UNASSIGNED, reason: 'released', at });
    await inventory.move(e164, { from: ['quarantined'], to: 'available', reason: 'quarantine ended', at });
  };
  /** A number that is assigned at this time. */
  const rented = async (at: Date, changes: Partial<InventoryRow> = {}): Promise<string> => {
    const e164 = await newNumber(at, changes);
    await assign(e164, at);
    return e164;
  };
  const chargeAt = (now: Date): Promise<void> => stage.feeCharging({ ...systemClock, now: () => now }).chargeAll();
  const months = async (projectId = stage.ground.projectId): Promise<(readonly [string, string, number])[]> => {
    const rows = await stage.db.query<NumberFeeRow>(
      `SELECT starts_on::text AS starts_on, ends_on::text AS ends_on, amount FROM number_fees WHERE project_id = $1 ORDER BY starts_on, id`,
      [projectId],
    );
    return rows.map(({ starts_on, ends_on, amount }) => [starts_on, ends_on, amount]);
  };
  const balance = (): Promise<number> => stage.balances.project(stage.ground.organizationId, stage.ground.projectId);

  it('are charged for whole months, in advance from the assignment on, and make a debt without money', async () => {
    await stage.plan([RATE], new Date(0), FEES);
    await rented(riyadh('2026-01-31T12:00:00'));
    await chargeAt(riyadh('2026-01-31T12:00:00'));
    await chargeAt(riyadh('2026-02-27T23:59:59'));
    expect(await months()).to.deep.equal([['2026-01-31', '2026-02-28', 10_000_000]]);
    await chargeAt(riyadh('2026-02-28T00:00:00'));
    await chargeAt(riyadh('2026-03-31T00:00:00'));
    await chargeAt(riyadh('2026-03-31T00:00:00'));
    expect(await months()).to.deep.equal([
      ['2026-01-31', '2026-02-28', 10_000_000],
      ['2026-02-28', '2026-03-31', 10_000_000],
      ['2026-03-31', '2026-04-30', 10_000_000],
    ]);
    expect(await balance()).to.equal(-30_000_000);
  });

  it('have the price of the longest prefix, then of the kind, in the version in force when the month starts', async () => {
    const name = await stage.plan([RATE], new Date(0), FEES);
    const at = riyadh('2026-01-05T12:00:00');
    await rented(at, { e164: '+966501110001', kind: 'mobile' });
    await rented(at, { e164: '+966115000001' });
    await rented(at, { e164: '+966121110001' });
    await chargeAt(at);
    expect((await months()).map(([, , amount]) => amount)).to.have.members([20_500_000, 15_000_000, 10_000_000]);
    await stage.planService.add(name, [RATE], riyadh('2026-02-01T00:00:00'));
    await chargeAt(riyadh('2026-02-06T00:00:00'));
    expect(await months(), 'free in the newer version').to.have.length(3);
  });

  it('are not charged for a customer’s own number, in a sandbox account, and without a price', async () => {
    const at = riyadh('2026-01-05T12:00:00');
    await rented(at);
    await chargeAt(at);
    await stage.plan([RATE], new Date(0), FEES);
    const own = await newNumber(at, { source: 'own', state: 'released' });
    const owner = { organization_id: stage.ground.organizationId, project_id: stage.ground.projectId };
    await inventory.move(own, {
      ...{ from: ['released'], to: 'assigned', reason: 'own', at },
      changes: { ...owner, assigned_at: at },
    });
    const trial = await ownerIn(stage.db);
    await stage.db.query(`UPDATE organizations SET account_kind = 'sandbox' WHERE id = $1`, [trial.organizationId]);
    await assign(await newNumber(at), at, trial);
    await chargeAt(at);
    expect(await months()).to.deep.equal([]);
    expect(await months(trial.projectId)).to.deep.equal([]);
  });

  it('are made up for after three months without the job, until the release of each number', async () => {
    await stage.plan([RATE], new Date(0), FEES);
    const at = riyadh('2026-01-10T12:00:00');
    await rented(at);
    await release(await rented(at), riyadh('2026-02-20T12:00:00'));
    await release(await rented(at), riyadh('2026-02-10T00:00:00'));
    await chargeAt(riyadh('2026-04-09T23:59:59'));
    const starts = (await months()).map(([start]) => start);
    expect(starts).to.deep.equal([
      ...['2026-01-10', '2026-01-10', '2026-01-10'],
      ...['2026-02-10', '2026-02-10'],
      ...['2026-03-10'],
    ]);
    await chargeAt(riyadh('2026-04-09T23:59:59'));
    expect(await months()).to.have.length(6);
  });

  it('are charged once for a month in which a project releases a number and takes it again', async () => {
    await stage.plan([RATE], new Date(0), FEES);
    const e164 = await rented(riyadh('2026-01-10T12:00:00'));
    await release(e164, riyadh('2026-01-12T12:00:00'));
    await assign(e164, riyadh('2026-01-15T12:00:00'));
    await chargeAt(riyadh('2026-02-12T12:00:00'));
    expect((await months()).map(([start]) => start)).to.deep.equal(['2026-01-10', '2026-02-10']);
    // Another project pays from its own assignment on.
    await release(e164, riyadh('2026-02-13T12:00:00'));
    const sibling = await insertProject(stage.db, stage.ground.organizationId);
    await assign(e164, riyadh('2026-02-14T12:00:00'), { ...stage.ground, projectId: sibling });
    await chargeAt(riyadh('2026-02-20T12:00:00'));
    expect((await months(sibling)).map(([start]) => start)).to.deep.equal(['2026-02-14']);
    expect(await months()).to.have.length(2);
  });

  it('are charged once each by five processes, and by one that is killed', async () => {
    await stage.plan([RATE], new Date(0), FEES);
    const at = riyadh('2026-01-10T12:00:00');
    for (let number = 0; number < 30; number += 1) await rented(at);
    const now = riyadh('2026-04-01T00:00:00');
    const environment = { NOW: now.toISOString(), DATABASE_URL: stage.url };
    expect(await runMortal('number-fee-worker', environment, 1)).to.equal(false);
    await Promise.all(Array.from({ length: 5 }, () => chargeAt(now)));
    expect(await months()).to.have.length(90);
    expect(await balance()).to.equal(-900_000_000);
    const [spent] = await stage.db.query<{ amount: number }>(
      `SELECT sum(amount)::bigint AS amount FROM spent_days WHERE project_id = $1`,
      [stage.ground.projectId],
    );
    expect(spent?.amount).to.equal(900_000_000);
  });

  it('are on the invoice of the month in which they start, beside its calls', async () => {
    await stage.plan([RATE], new Date(0), FEES);
    await rented(riyadh('2026-01-31T12:00:00'));
    await rented(riyadh('2026-01-02T12:00:00'));
    await chargeAt(riyadh('2026-03-01T12:00:00'));
    await stage.finished([{ seconds: 30, answeredAt: riyadh('2026-02-10T12:00:00') }]);
    await stage.rating.rateAll();
    const { organizationId } = stage.ground;
    await issuerOn(stage).run('2026-02', organizationId, false);
    const invoice = (await new Invoices(stage.db).ofMonth(organizationId, '2026-02'))!;
    expect(invoice.lines.map(({ kind, quantity, seconds, amount }) => [kind, quantity, seconds, amount])).to.deep.equal(
      [
        ['calls', 1, 60, 120_000],
        ['numbers', 2, null, 20_000_000],
      ],
    );
    await issuerOn(stage).run('2026-01', organizationId, false);
    expect((await new Invoices(stage.db).ofMonth(organizationId, '2026-01'))?.net).to.equal(20_000_000);
  });

  it('are listed for their own project, with the ledger’s transactions, and never change', async () => {
    const api = await testApi({ db: stage.db, routes: billingRoutes(stage.billing) });
    try {
      await stage.plan([RATE], new Date(0), FEES);
      const e164 = await rented(riyadh('2026-01-10T12:00:00'));
      await chargeAt(riyadh('2026-02-10T00:00:00'));
      const { key } = await api.key({ projectId: stage.ground.projectId });
      const first = await api.request('GET', '/v1/billing/number-fees?limit=1', { key });
      const [fee] = (first.body as unknown as { data: Record<string, unknown>[] }).data;
      expect(fee).to.deep.include({ number: e164, starts_on: '2026-02-10', ends_on: '2026-03-10', amount_sar: 10 });
      const cursor = String(first.body?.next_cursor);
      const next = await api.request('GET', `/v1/billing/number-fees?limit=1&cursor=${cursor}`, { key });
      expect(next.text).to.contain('"starts_on":"2026-01-10"');
      const ledger = await api.request('GET', '/v1/billing/ledger', { key });
      expect(ledger.text).to.contain(`"kind":"number_fee","reference":"${String(fee?.id)}"`);
      const plan = await api.request('GET', '/v1/billing/rate-plan', { key });
      expect(plan.body?.number_fees).to.deep.include({ kind: 'mobile', prefix: '', monthly_sar: 20.5 });

      const stranger = await api.key({ projectId: await insertProject(stage.db, stage.ground.organizationId) });
      const theirs = await api.request('GET', '/v1/billing/number-fees', { key: stranger.key });
      expect(theirs.body).to.deep.include({ data: [] });
      const scopeless = await api.key({ projectId: stage.ground.projectId, scopes: ['usage:read'] });
      expect((await api.request('GET', '/v1/billing/number-fees', { key: scopeless.key })).status).to.equal(403);
    } finally {
      await api.close();
    }
    expect(await refusal(stage.db.query('UPDATE number_fees SET amount = 1'))).to.match(/never changed or deleted/);
    expect(
      await refusal(stage.planService.add(`twice-${newId()}`, [RATE], new Date(0), undefined, [FEES[0]!, FEES[0]!])),
    ).to.match(/names the same kind and prefix twice/);
  });

  it('are charged by the job, from the settings’ prices on its first run', async () => {
    const { planService: plans, rating, credit, numberFees } = stage;
    await rented(riyadh('2026-01-10T12:00:00'));
    const numberPrices = [{ kind: 'geographic', monthly: 15_000_000 }] as const;
    await new RatingWorker({ plans, rating, credit, numberFees, prices: [], numberPrices }).run();
    expect((await months())[0]).to.deep.equal(['2026-01-10', '2026-02-10', 15_000_000]);
  });
});
