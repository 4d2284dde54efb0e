import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { HatifCommand } from '../../support/command.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { paymentStage, type PaymentStage } from '../../support/stages/billing/payment-stage.js';
import { groundIn, type Ground } from '../../support/rows/rows.js';

describe('hatif payments', () => {
  let database: TestDatabase;
  let command: HatifCommand;
  let stage: PaymentStage;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
    ground = await groundIn(database.db);
    command = await HatifCommand.over(database.url);
    stage = await paymentStage(database.url);
  });
  after(async () => {
    await stage.end();
    await command.close();
    await database.close();
  });

  const begin = async (): Promise<string> => {
    const payer = { ...ground, keyId: newId(), requestId: newId() };
    const wanted = { of: { amount: 100_000_000 }, method: 'bank_transfer', returnUrl: null } as const;
    return (await stage.payments.create(wanted, payer)).reference;
  };

  it('confirms a transfer of the whole amount, once', async () => {
    const reference = await begin();
    expect((await command.run(['payments', 'list'])).stdout).to.match(new RegExp(`${reference}\\s+pending.*115\\.00`));
    const done = await command.run(['payments', 'confirm', reference, '115.00', '--bank-reference', 'FT-1']);
    expect(done.stdout).to.contain('Booked 115.00 SAR: 100.00 for the pool, 15.00 of tax.');
    expect((await command.run(['payments', 'confirm', reference, '115'])).stdout).to.contain('was booked already');
    expect((await command.run(['billing', 'show'])).stdout).to.match(/pool\s+100\.00/);
    const [row] = (await command.json('payments', 'list', '--status', 'succeeded')) as object[];
    expect(row).to.include({ reference, provider_reference: 'FT-1' });
  });

  it('refunds a payment or a part of it, once for each reference', async () => {
    const reference = await begin();
    const say = ['--reason', 'paid twice', '--reference', 'R-1'];
    expect((await command.run(['payments', 'refund', reference, ...say])).stderr).to.contain('has not succeeded');
    await command.run(['payments', 'confirm', reference, '115']);
    const done = await command.run(['payments', 'refund', reference, '23', ...say]);
    expect(done.stdout, done.stderr).to.contain('a refund of 23.00 SAR: 20.00 from the pool, 3.00 of tax.');
    expect((await command.run(['payments', 'refund', reference, '23', ...say])).stdout).to.contain('booked already');
    const more = ['--reason', 'x', '--reference', 'R-2'];
    expect((await command.run(['payments', 'refund', reference, '92.01', ...more])).stderr).to.contain('at most 92.00');
    for (const wrong of ['0', '-1', '1.234'])
      expect((await command.run(['payments', 'refund', reference, ...more, '--', wrong])).code, wrong).to.equal(2);
    const { stdout } = await command.run(['payments', 'list', '--status', 'succeeded']);
    expect(stdout).to.match(new RegExp(`${reference}.*115\\.00\\s+115\\.00.*23\\.00`));
    expect((await command.run(['payments', 'refund', reference, ...more])).code).to.equal(0);
  });

  it('books no other amount, and shows the amount received', async () => {
    const reference = await begin();
    const { code, stderr } = await command.run(['payments', 'confirm', reference, '100']);
    expect(code).to.equal(1);
    expect(stderr).to.contain('The amount paid is 100.00 SAR, but 115.00 SAR was due.');
    const { stdout } = await command.run(['payments', 'list', '--status', 'pending']);
    expect(stdout).to.match(new RegExp(`${reference}.*115\\.00\\s+100\\.00\\s+PAYMENT_AMOUNT_MISMATCH`));
  });

  it('refuses a payment with a reason', async () => {
    const reference = await begin();
    const refused = await command.run(['payments', 'refuse', reference, '--reason', 'sent back']);
    expect(refused.stdout).to.contain(`${reference} is failed.`);
    const late = await command.run(['payments', 'confirm', reference, '115']);
    expect(late.stdout, 'a payment that arrives nevertheless').to.contain('Booked 115.00 SAR');
  });

  for (const [what, args, words] of [
    ['an unknown reference', ['confirm', 'HT2222222222', '5'], /No payment with the id HT2222222222/],
    ['an invalid amount', ['confirm', 'HT2222222222', 'much'], /much is not an amount/],
    ['an amount of zero', ['confirm', 'HT2222222222', '0'], /above 0/],
    ['an invalid status', ['list', '--status', 'gone'], /gone is not a status/],
    ['no reason', ['refuse', 'HT2222222222'], /--reason/],
  ] as const) {
    it(`does nothing with ${what}`, async () => {
      const { code, stderr } = await command.run(['payments', ...args]);
      expect(code).not.to.equal(0);
      expect(stderr).to.match(words);
    });
  }
});
