import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { HatifCommand } from '../../support/command.js';
import { billingEach, type BillingStage } from '../../support/stages/billing/billing-stage.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { groundIn } from '../../support/rows/rows.js';

const HEAD = 'direction,kind,prefix,per_minute_sar,increment_seconds,minimum_seconds';

describe('hatif rates and billing', () => {
  let database: TestDatabase;
  let command: HatifCommand;

  before(async () => {
    database = await testDatabase();
    await groundIn(database.db);
    command = await HatifCommand.over(database.url);
  });
  after(async () => {
    await command.close();
    await database.close();
  });

  async function csv(...lines: string[]): Promise<string> {
    const file = join(command.dataDir, `rates-${Math.random()}.csv`);
    await writeFile(file, [HEAD, ...lines].join('\r\n'));
    return file;
  }

  it('imports rates, lists them, and assigns them to an organization', async () => {
    expect((await command.run(['billing', 'show'])).stdout).to.match(/rate plan\s+default \(no plan was assigned/);
    expect(await command.json('billing', 'show')).to.include({ planName: 'default', hasOwnPlan: false });
    const file = await csv('outbound,,,0.12,,', '"outbound","callback",+9665,0.075,6,30', 'inbound,,,0,60,0');
    expect(await command.json('rates', 'import', file, '--plan', 'retail', '--dry-run')).to.include({ rates: 3 });
    expect((await command.run(['rates', 'list'])).stdout).to.contain('no plan yet');
    expect(await command.json('rates', 'import', file, '--plan', 'retail')).to.include({ version: 1, rates: 3 });
    const { stdout } = await command.run(['rates', 'list', 'retail']);
    expect(stdout).to.match(/outbound\s+callback\s+9665\s+0\.075\s+6 s\s+30 s/);
    expect((await command.run(['rates', 'assign', 'retail'])).code).to.equal(0);
    expect((await command.run(['rates', 'assign', 'wholesale'])).stderr).to.contain('No rate plan named wholesale');
    expect((await command.run(['billing', 'show'])).stdout).to.match(/rate plan\s+retail/);
  });

  it('imports and lists monthly fees of numbers', async () => {
    const file = join(command.dataDir, 'numbers.csv');
    await writeFile(file, `${HEAD},monthly_sar\noutbound,,,0.12,,,\nnumber,mobile,9665,,,,20.5\nnumber,,,,,,15\n`);
    const imported = await command.json('rates', 'import', file, '--plan', 'rented');
    expect(imported).to.include({ rates: 1, number_fees: 2 });
    const { stdout } = await command.run(['rates', 'list', 'rented']);
    expect(stdout)
      .to.match(/mobile\s+9665\s+20\.5/)
      .and.to.match(/any\s+15/);
    for (const [line, words] of [
      ['number,fax,,,,,1', /line 2: kind/],
      ['number,,,0.1,,,1', /line 2: per_minute_sar is not/],
      ['number,,,,,,', /line 2: monthly_sar is not a price/],
      ['outbound,,,1,,,5', /line 2: monthly_sar is only/],
    ] as const) {
      await writeFile(file, `${HEAD},monthly_sar\n${line}\n`);
      expect((await command.run(['rates', 'import', file, '--plan', 'broken'])).stderr).to.match(words);
    }
  });

  for (const [what, line, words] of [
    ['an invalid direction', 'sideways,,,1,,', /line 3: direction/],
    ['an invalid kind', 'outbound,fax,,1,,', /line 3: kind/],
    ['an invalid prefix', 'outbound,,966x,1,,', /line 3: prefix/],
    ['an invalid price', 'outbound,,,cheap,,', /line 3: per_minute_sar/],
    ['an increment of zero', 'outbound,,,1,0,', /line 3: increment_seconds/],
    ['a duplicate rate', 'outbound,,,2,,', /line 3: has the same .* as line 2/],
    ['a line that is too long', 'outbound,,,1,,,,', /is not CSV/],
  ] as const) {
    it(`imports nothing of a file with ${what}`, async () => {
      const file = await csv('outbound,,,1,,', line);
      const { code, stderr } = await command.run(['rates', 'import', file, '--plan', 'broken']);
      expect(code).to.equal(1);
      expect(stderr).to.match(words);
      expect((await command.run(['rates', 'list'])).stdout).not.to.contain('broken');
    });
  }

  it('names unknown columns', async () => {
    const file = join(command.dataDir, 'columns.csv');
    await writeFile(file, 'direction,price\noutbound,1\n');
    const { code, stderr } = await command.run(['rates', 'import', file, '--plan', 'broken']);
    expect(code).to.equal(1);
    expect(stderr).to.contain('unknown columns price');
    expect((await command.run(['rates', 'import', '/no/such/file', '--plan', 'x'])).stderr).to.contain(
      'cannot be read',
    );
  });

  it('books a payment once, and allocates it to a project', async () => {
    const pay = ['billing', 'top-up', '100.50', '--reference', 'INV-1'];
    expect(await command.json(...pay)).to.deep.equal({ booked: true, pool_balance_sar: '100.50' });
    expect(await command.json(...pay)).to.deep.equal({ booked: false, pool_balance_sar: '100.50' });
    expect((await command.run(['billing', 'allocate', '100.51'])).stderr).to.contain('has only 100.50');
    expect(await command.json('billing', 'allocate', '60')).to.deep.equal({ balance_sar: '60.00' });
    expect(await command.json('billing', 'allocate', '--', '-10')).to.deep.equal({ balance_sar: '50.00' });
    expect((await command.run(['billing', 'mode', 'prepaid'])).code).to.equal(0);
    expect((await command.run(['billing', 'show'])).stdout).to.match(/prepaid[^]*pool\s+50\.50[^]*balance\s+50\.00/);
    for (const wrong of [
      ['mode', 'later'],
      ['allocate', '0'],
      ['allocate', '1.234'],
      ['top-up', '0', '--reference', 'x'],
    ])
      expect((await command.run(['billing', ...wrong])).code, wrong.join(' ')).to.equal(2);
  });
});

describe('hatif rates rerate', () => {
  let stage: BillingStage;
  billingEach((made) => (stage = made));

  it('shows what calls cost, and what they would cost now', async () => {
    const command = await HatifCommand.over(stage.url);
    try {
      await stage.plan();
      await stage.finished([{ seconds: 30, answeredAt: new Date('2026-03-05T10:00:00Z') }]);
      await stage.rating.rate();
      const { stdout, stderr } = await command.run(['rates', 'rerate', '2026-03-05', '2026-03-05']);
      expect(stdout, stderr)
        .to.contain('1 calls cost 0.12 SAR, and would cost 0.12 SAR')
        .and.to.contain('No call differs');
      expect((await command.run(['rates', 'rerate', 'yesterday', 'today'])).code).to.equal(2);
    } finally {
      await command.close();
    }
  });
});
