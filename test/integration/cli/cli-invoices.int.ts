import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { riyadhDay } from '../../../core/model/riyadh.js';
import { newId } from '../../../core/model/ids.js';
import { BillingStage } from '../../support/stages/billing/billing-stage.js';
import { HatifCommand } from '../../support/command.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { riyadh, SELLER } from '../../support/stages/billing/invoice-stage.js';
import { readPdf } from '../../support/judges/pdf.js';

const SELLER_SETTINGS = {
  INVOICE_SELLER_NAME_AR: SELLER.name_ar,
  INVOICE_SELLER_NAME_EN: SELLER.name_en,
  INVOICE_SELLER_VAT_NUMBER: SELLER.vat_number,
  INVOICE_SELLER_ADDRESS: SELLER.address,
  INVOICE_NUMBER_PREFIX: 'HTF',
};

describe('hatif invoice', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  let stage: BillingStage;
  let command: HatifCommand;

  beforeEach(async () => {
    database = await testDatabase();
    stage = await BillingStage.on(database.db, database.url);
    command = await HatifCommand.over(database.url, SELLER_SETTINGS);
    await stage.billing.reportedUsage.add(stage.ground, {
      ...{ eventId: newId(), type: 'sms', quantity: 2, unitPrice: 1_000_000 },
      occurredAt: riyadh('2026-08-10T12:00:00'),
    });
  });
  afterEach(async () => {
    await command.close();
    await stage.close();
    await database.close();
  });

  it('runs a month, first as a dry run, lists its invoices, and writes one as a PDF', async () => {
    expect((await command.run(['invoice', 'list'])).stdout).to.contain('no invoice yet');
    const tried = await command.run(['invoice', 'run', '2026-08', '--dry-run']);
    expect(tried.stdout, tried.stderr).to.match(/Test\s+2\.00\s+0\.30\s+2\.30\s+2\.30/);
    expect(tried.stdout).to.contain('1 invoices would be issued for 2026-08').and.to.contain('Nothing was changed');
    expect(await command.json('invoice', 'list')).to.deep.equal([]);

    const { stdout } = await command.run(['invoice', 'run', '2026-08']);
    const [, number = ''] = /(HTF-\d{4}-000001)\s+Test/.exec(stdout) ?? [];
    expect(number, stdout).not.to.equal('');
    expect(await command.json('invoice', 'run', '2026-08')).to.deep.include({ issued: [], already: 1, dry_run: false });
    expect((await command.run(['invoice', 'list'])).stdout).to.match(
      new RegExp(`${number}\\s+2026-08\\s+Test\\s+2.30\\s+2.30\\s+due`),
    );
    expect(await command.json('invoice', 'list', '--month', '2026-07')).to.deep.equal([]);

    const file = join(command.dataDir, 'invoice.pdf');
    expect(await command.json('invoice', 'pdf', number, '--out', file)).to.include({ number, file });
    expect((await readPdf(await readFile(file))).texts).to.include.members([number, '2.30']);
  });

  it('previews the current month, for which settings of the seller are not needed', async () => {
    const month = riyadhDay(new Date()).slice(0, 7);
    const env = { INVOICE_SELLER_VAT_NUMBER: '' };
    const early = await command.run(['invoice', 'run', month], { env });
    expect(early.code).to.equal(1);
    expect(early.stderr).to.contain('not over').and.contain(`npx hatif invoice run ${month} --dry-run`);
    await stage.billing.reportedUsage.add(stage.ground, {
      ...{ eventId: newId(), type: 'sms', quantity: 3, unitPrice: 1_000_000, occurredAt: new Date() },
    });
    const tried = await command.run(['invoice', 'run', month, '--dry-run'], { env });
    expect(tried.stdout, tried.stderr).to.match(/Test\s+3\.00\s/);
    expect(await command.json('invoice', 'list')).to.deep.equal([]);
  });

  it('reports errors', async () => {
    const unfinished = await command.run(['invoice', 'run', '2099-01']);
    expect([unfinished.code, unfinished.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && text.includes('not over'),
    );
    expect((await command.run(['invoice', 'run', 'august'])).code).to.equal(1);
    const env = { INVOICE_SELLER_VAT_NUMBER: '' };
    const withoutSeller = await command.run(['invoice', 'run', '2026-08'], { env });
    expect(withoutSeller.code).to.equal(2);
    expect(withoutSeller.stderr).to.contain('INVOICE_SELLER_VAT_NUMBER');
    expect((await command.run(['invoice', 'pdf', 'HTF-2026-000009'])).stderr).to.contain('HTF-2026-000009');
    await command.run(['invoice', 'run', '2026-08']);
    const [{ number }] = (await command.json('invoice', 'list')) as [{ number: string }];
    const unwritable = await command.run(['invoice', 'pdf', number, '--out', '/no/such/folder/invoice.pdf']);
    expect([unwritable.code, unwritable.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 1 && text.includes('cannot be written'),
    );
  });

  it('names the invoices that could not be issued', async () => {
    await database.db.query(`ALTER TABLE invoices ADD CONSTRAINT unhappy CHECK (net < 0)`);
    const { code, stdout, stderr } = await command.run(['invoice', 'run', '2026-08']);
    expect([code, stdout]).to.satisfy(
      ([one, text]: [number, string]) => one === 1 && text.includes('0 invoices issued'),
    );
    expect(stderr).to.contain(stage.ground.organizationId).and.to.contain('1 invoices could not be issued');
  });
});
