import { expect } from 'chai';
import { BrandTable } from '../../../core/data/repositories/verification/brands.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { Brands } from '../../../core/services/brands/brands.js';
import { HatifCommand } from '../../support/command.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { groundIn } from '../../support/rows/rows.js';

describe('hatif brands', () => {
  let database: TestDatabase;
  let command: HatifCommand;
  let brands: Brands;

  before(async () => {
    database = await testDatabase();
    command = await HatifCommand.over(database.url);
    brands = new Brands(new BrandTable(database.db), systemClock);
  });
  after(async () => {
    await command.close();
    await database.close();
  });

  async function submitted(name_en: string): Promise<string> {
    const ground = await groundIn(database.db);
    const maker = { ...ground, sandbox: false, keyId: newId(), requestId: 'r' };
    const { id } = await brands.create({ name_en, name_ar: 'متجر' }, maker);
    await brands.submit({ projectId: ground.projectId, sandboxOnly: false }, id);
    return id;
  }

  it('lists submitted brands, and approves or rejects each once', async () => {
    const [good, bad] = [await submitted('Good Shop'), await submitted('Bad Shop')];
    const listed = await command.run(['brands', 'list']);
    expect(listed.stdout).to.contain(good).and.to.contain('Bad Shop').and.to.contain('متجر');
    expect(await command.json('brands', 'approve', good)).to.include({ id: good, status: 'approved' });
    const reason = ['--reason', 'Not yours'];
    expect(await command.json('brands', 'reject', bad, ...reason)).to.include({
      status: 'rejected',
      rejection_reason: 'Not yours',
    });
    expect(await command.json('brands', 'list')).to.deep.equal([]);
    const again = await command.run(['brands', 'reject', good]);
    expect([again.code, again.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code !== 0 && text.includes('approved'),
    );
    const unknown = await command.run(['brands', 'approve', newId()]);
    expect(unknown.code).not.to.equal(0);
    expect(unknown.stderr).to.contain('No brand');
  });
});
