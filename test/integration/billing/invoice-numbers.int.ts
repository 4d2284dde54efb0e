import { expect } from 'chai';
import { Database } from '../../../core/data/database.js';
import { Invoices } from '../../../core/data/repositories/billing/invoices.js';
import { newId } from '../../../core/model/ids.js';
import { BillingStage } from '../../support/stages/billing/billing-stage.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { failureOf } from '../../support/judges/failure-of.js';
import { issuerOn, riyadh } from '../../support/stages/billing/invoice-stage.js';
import { groundIn } from '../../support/rows/rows.js';
import { runMortal } from '../../support/workers/mortal.js';

const MONTH = '2026-08';
const ORGANIZATIONS = 40;

describe('invoice numbers', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let stage: BillingStage;

  beforeEach(async () => {
    database = await testDatabase();
    stage = await BillingStage.on(database.db, database.url);
    for (let count = 0; count < ORGANIZATIONS; count++) {
      const ground = count === 0 ? stage.ground : await groundIn(database.db);
      await stage.billing.reportedUsage.add(ground, {
        ...{ eventId: newId(), type: 'sms', quantity: 1, unitPrice: 1_000_000 },
        occurredAt: riyadh('2026-08-10T12:00:00'),
      });
    }
  });
  afterEach(async () => {
    await stage.close();
    await database.close();
  });

  /** Asserts that every organization has one invoice, and that the numbers are 1, 2, 3, … */
  async function expectWhole(): Promise<void> {
    const rows = await database.db.query<{ sequence: number; number: string; organization_id: string }>(
      `SELECT sequence, number, organization_id FROM invoices ORDER BY sequence`,
    );
    expect(rows.map(({ sequence }) => sequence)).to.deep.equal(
      Array.from({ length: ORGANIZATIONS }, (_, at) => at + 1),
    );
    for (const { sequence, number } of rows)
      expect(number).to.match(new RegExp(`^INV-\\d{4}-0{4}${String(sequence).padStart(2, '0')}$`));
    expect(new Set(rows.map(({ organization_id }) => organization_id)).size).to.equal(ORGANIZATIONS);
    expect(await database.db.query(`SELECT last FROM invoice_series`)).to.deep.equal([{ last: ORGANIZATIONS }]);
  }

  it('have no gaps or duplicates when several processes run the month concurrently', async () => {
    const handles = Array.from({ length: 4 }, () => Database.open(database.url, { poolSize: 2 }));
    try {
      const runs = await Promise.all(
        handles.map((db) => issuerOn(stage, { db, invoices: new Invoices(db) }).run(MONTH, null, false)),
      );
      expect(runs.reduce((sum, { issued }) => sum + issued.length, 0)).to.equal(ORGANIZATIONS);
    } finally {
      await Promise.all(handles.map((db) => db.close()));
    }
    await expectWhole();
  });

  it('have no gaps when a run is killed repeatedly', async () => {
    for (const invoices of [1, 9, 23]) {
      const worker = 'invoice-worker';
      const isThrough = await runMortal(worker, { MONTH, DATABASE_URL: database.url }, invoices);
      expect(isThrough, `killed after ${invoices}`).to.equal(false);
    }
    await issuerOn(stage).run(MONTH, null, false);
    await expectWhole();
  });

  it('have no gaps when the invoice of one organization fails', async () => {
    const [unhappy] = await database.db.query<{ id: string }>(
      `SELECT id FROM organizations ORDER BY id OFFSET 5 LIMIT 1`,
    );
    await database.db.query(
      `ALTER TABLE invoices ADD CONSTRAINT unhappy CHECK (organization_id <> '${unhappy?.id ?? ''}')`,
    );
    const { issued, failed } = await issuerOn(stage).run(MONTH, null, false);
    expect(issued).to.have.length(ORGANIZATIONS - 1);
    expect(failed.map(({ organization_id }) => organization_id)).to.deep.equal([unhappy?.id]);
    expect(failed[0]?.reason).to.contain('unhappy');
    await database.db.query(`ALTER TABLE invoices DROP CONSTRAINT unhappy`);
    await issuerOn(stage).run(MONTH, null, false);
    await expectWhole();
  });

  it('are assigned by the database in sequence only', async () => {
    await issuerOn(stage).run(MONTH, stage.ground.organizationId, false);
    const invoices = new Invoices(database.db);
    const first = await invoices.ofMonth(stage.ground.organizationId, MONTH);
    const { status: _status, payment_id: _payment, paid_at: _paid, ...row } = first!;
    const skipping = { ...row, id: newId(), month: '2026-09', sequence: 3, number: 'INV-2026-000003' };
    expect(String(await failureOf(database.db.transaction((tx) => invoices.insert(tx, skipping))))).to.contain(
      'not the next',
    );
  });
});
