import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { Random } from '../../chaos/random.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { PAYMENT_SECRET, paymentStage, type PaymentStage } from '../../support/stages/billing/payment-stage.js';
import { groundIn } from '../../support/rows/rows.js';
import { runMortal } from '../../support/workers/mortal.js';

const PAYMENTS = 300;

describe('payments that are interrupted', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let stage: PaymentStage;
  let folder: string;
  before(async () => (database = await testDatabase()));
  after(() => database.close());
  beforeEach(async () => {
    stage = await paymentStage(database.url);
    folder = await mkdtemp(join(tmpdir(), 'hatif-payments-'));
  });
  afterEach(async () => {
    await stage.end();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the worker and kills it after this many payments have ended. @returns whether it finished before */
  const work = (file: string, paymentsUntilDeath = Infinity): Promise<boolean> =>
    runMortal(
      'payment-worker',
      {
        WORK: file,
        DATABASE_URL: database.url,
        PAYMENT_GATEWAY_URL: stage.peer.url,
        PAYMENT_GATEWAY_SECRET: PAYMENT_SECRET,
      },
      paymentsUntilDeath,
    );

  it(`are posted exactly once each, whenever the worker is killed`, async () => {
    const ground = await groundIn(database.db);
    const random = new Random(7);
    // Old enough that the gateway is polled at once.
    stage.pass(-60_000);
    const amounts = Array.from({ length: PAYMENTS }, () => 10_000 * random.between(100, 100_000));
    const arrived: { reference: string; paid: number }[] = [];
    for (const amount of amounts) {
      const payer = { ...ground, keyId: newId(), requestId: newId() };
      const { id } = await stage.payments.create({ of: { amount }, method: 'gateway', returnUrl: null }, payer);
      stage.peer.pay(id);
      const row = await stage.stores.payments.get(null, id);
      arrived.push({ reference: row!.reference, paid: row!.amount + row!.vat });
    }
    const file = join(folder, 'arrived.json');
    await writeFile(file, JSON.stringify(random.shuffled(arrived)));
    for (const payments of [20, 60, 100])
      expect(await work(file, payments), `killed after ${payments}`).to.equal(false);
    expect(await work(file)).to.equal(true);

    const net = amounts.reduce((sum, amount) => sum + amount, 0);
    const gross = arrived.reduce((sum, { paid }) => sum + paid, 0);
    expect(await stage.balances(ground.organizationId)).to.deep.equal({
      pool: net,
      vat: gross - net,
      payments: -gross,
    });
    const [counts] = await stage.stores.db.query<{ succeeded: number; booked: number; reported: number }>(
      `SELECT (SELECT count(*) FROM payments WHERE organization_id = $1 AND status = 'succeeded') AS succeeded,
         (SELECT count(*) FROM ledger_transactions WHERE organization_id = $1 AND kind = 'payment') AS booked,
         (SELECT count(*) FROM events WHERE organization_id = $1 AND type = 'payment.succeeded') AS reported`,
      [ground.organizationId],
    );
    expect(counts).to.deep.equal({ succeeded: PAYMENTS, booked: PAYMENTS, reported: PAYMENTS });
  });
});
