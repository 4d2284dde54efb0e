import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { Random } from '../../chaos/random.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { paymentStage, type PaymentStage } from '../../support/stages/billing/payment-stage.js';
import { groundIn, type Ground } from '../../support/rows/rows.js';

const SEEDS = [1, 2, 3, 4, 5];
const STEPS = 150;
const HOUR_MS = 3_600_000;

describe('the ledger of payments under random operations', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let stage: PaymentStage;
  let ground: Ground;

  before(async () => (database = await testDatabase()));
  after(() => database.close());
  beforeEach(async () => {
    stage = await paymentStage(database.url);
    ground = await groundIn(database.db);
  });
  afterEach(() => stage.end());

  /** One random operation on a payment; expected errors are ignored. */
  async function step(random: Random, ids: string[]): Promise<void> {
    const id = ids.length > 0 ? random.pick(ids) : newId();
    const row = await stage.stores.payments.get(null, id);
    const total = row ? row.amount + row.vat : 0;
    const atPeer = stage.peer.payments.get(id);
    const wrong = random.chance(0.3) ? 10_000 * random.between(-3, 3) : 0;
    const kind = random.pick([
      'begin',
      'begin',
      'pay',
      'notice',
      'confirm',
      'cancel',
      'refuse',
      'work',
      'fault',
      'pass',
    ]);
    if (kind === 'begin') ids.push(await begin(random));
    else if (kind === 'pay' && atPeer?.status === 'pending') stage.peer.pay(id, Math.max(1, (total + wrong) / 10_000));
    else if (kind === 'notice' && atPeer) await stage.payments.handleNotice(...stage.peer.notice(id));
    else if (kind === 'confirm' && row)
      await stage.administration.confirm(row.reference, Math.max(10_000, total + wrong), null);
    else if (kind === 'cancel' && row) await stage.payments.cancel(ground.projectId, id);
    else if (kind === 'refuse' && row) await stage.administration.reject(row.reference, 'no');
    else if (kind === 'work') await stage.poller.run();
    else if (kind === 'fault')
      stage.peer.failNext(
        random.pick(['GET', 'PUT', 'DELETE']),
        random.pick(['lost_answer', 'lost_request', 503, 402]),
      );
    else if (kind === 'pass') stage.pass(HOUR_MS * random.between(0, 30));
  }

  async function begin(random: Random): Promise<string> {
    const of = { amount: 10_000 * random.between(100, 1_000_000) };
    const method = random.pick(['gateway', 'gateway', 'bank_transfer'] as const);
    const payer = { ...ground, keyId: newId(), requestId: newId() };
    return (await stage.payments.create({ of, method, returnUrl: null }, payer)).id;
  }

  const refused = (error: unknown): void => {
    if (!['PAYMENT_AMOUNT_MISMATCH', 'PAYMENT_FAILED'].includes(String((error as { code?: unknown }).code)))
      throw error;
  };

  for (const seed of SEEDS) {
    it(`sums to zero, with each successful payment posted once (seed ${seed})`, async () => {
      const random = new Random(seed);
      const ids: string[] = [];
      for (let turn = 0; turn < STEPS; turn += 1) {
        // Two concurrent operations.
        await Promise.all([step(random, ids).catch(refused), step(random, ids).catch(refused)]);
      }
      const rows = await stage.stores.payments.page(ground.projectId, null, null, 1000);
      const good = rows.filter(({ status }) => status === 'succeeded');
      expect(good.length, 'payments that succeeded').to.be.above(5);
      expect(rows.length - good.length, 'payments that did not succeed').to.be.above(5);
      expect(rows.every(({ status, paid, amount, vat }) => status !== 'succeeded' || paid === amount + vat)).to.equal(
        true,
      );
      const sum = (of: 'amount' | 'vat'): number => good.reduce((whole, row) => whole + row[of], 0);
      expect(await stage.balances(ground.organizationId)).to.deep.equal({
        pool: sum('amount'),
        vat: sum('vat'),
        payments: -sum('amount') - sum('vat'),
      });
      const [events] = await stage.stores.db.query<{ count: number }>(
        `SELECT count(*) FROM events WHERE organization_id = $1 AND type = 'payment.succeeded'`,
        [ground.organizationId],
      );
      expect(events?.count).to.equal(good.length);
    });
  }
});
