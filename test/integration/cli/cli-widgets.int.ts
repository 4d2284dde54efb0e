import { expect } from 'chai';
import type { WidgetRow } from '../../../core/data/rows.js';
import { testDatabase } from '../../support/platform/database.js';
import { Installation } from '../../support/platform/installation.js';
import { groundIn } from '../../support/rows/rows.js';

describe('hatif widgets', function () {
  this.timeout(60_000);
  let installation: Installation;

  before(async () => {
    installation = await Installation.with(testDatabase());
    await groundIn(installation.db);
  });
  after(() => installation.close());

  const hatif = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await installation.hatif(['widgets', ...args]);
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  it('are added, listed and removed', async () => {
    const output = await hatif('add', 'Shop', '--origin', 'https://shop.example,https://*.shop.example', '--otp');
    const [key] = /wk_\w+/.exec(output) ?? [];
    expect(output).to.contain(`data-key="${String(key)}"`);
    const [row] = JSON.parse(await hatif('list', '--json')) as WidgetRow[];
    expect(row).to.deep.include({ key, name: 'Shop', otp: true, captcha: true, language: 'ar', sandbox: false });
    expect(row?.allowed_origins).to.deep.equal(['https://shop.example', 'https://*.shop.example']);
    expect(row).to.deep.include({ countries: ['+966'], calls_per_hour: null });
    expect(await hatif('list')).to.contain(String(key));
    expect(await hatif('remove', String(row?.id))).to.contain('Shop is revoked');
    const again = await installation.hatif(['widgets', 'remove', String(row?.id)]);
    expect(again.code).to.equal(1);
    expect(again.stderr).to.contain('Not found: the widget');
  });

  it('are added with countries and a budget', async () => {
    const reach = ['--countries', '+966,+971', '--calls-per-hour', '20'];
    const made: unknown = JSON.parse(
      await hatif('add', 'Wide', '--origin', 'https://shop.example', ...reach, '--json'),
    );
    expect(made).to.deep.include({ countries: ['+966', '+971'], calls_per_hour: 20 });
  });

  it('are not added for an invalid origin, destination or language', async () => {
    for (const wrong of [
      ['add', 'Shop'],
      ['add', 'Shop', '--origin', 'shop.example'],
      ['add', 'Shop', '--origin', 'https://shop.example', '--to', 'agent:9999'],
      ['add', 'Shop', '--origin', 'https://shop.example', '--language', 'fr'],
      ['add', 'Shop', '--origin', 'https://shop.example', '--countries', 'SA'],
      ['add', 'Shop', '--origin', 'https://shop.example', '--calls-per-hour', 'many'],
    ]) {
      expect((await installation.hatif(['widgets', ...wrong])).code, wrong.join(' ')).not.to.equal(0);
    }
  });
});
