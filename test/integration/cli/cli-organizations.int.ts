import { expect } from 'chai';
import { HatifCommand } from '../../support/command.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { groundIn, type Ground } from '../../support/rows/rows.js';

describe('hatif organizations', () => {
  let database: TestDatabase;
  let command: HatifCommand;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
    ground = await groundIn(database.db);
    command = await HatifCommand.over(database.url);
  });
  after(async () => {
    await command.close();
    await database.close();
  });

  const list = () => command.json('organizations', 'list') as Promise<{ id: string; contact_email: string | null }[]>;
  const set = (address: string) => command.run(['organizations', 'set', '--contact-email', address]);

  it('set, show and remove the owner’s address', async () => {
    const { organizationId: id } = ground;
    expect((await list()).find((row) => row.id === id)).to.include({ contact_email: null });
    expect((await set('owner@example.com')).code).to.equal(0);
    expect((await list()).find((row) => row.id === id)).to.include({ contact_email: 'owner@example.com' });
    expect((await command.run(['organizations', 'list'])).stdout).to.contain('owner@example.com');
    expect((await set('none')).code).to.equal(0);
    expect((await list()).find((row) => row.id === id)).to.include({ contact_email: null });
  });

  it('refuse what is no address, and change nothing', async () => {
    await set('owner@example.com');
    for (const bad of ['owner', 'owner@', 'a@example.com, b@example.com', `${'x'.repeat(250)}@example.com`]) {
      const { code, stderr } = await set(bad);
      expect(code, bad).not.to.equal(0);
      expect(stderr).to.contain('contact_email');
    }
    expect((await command.run(['organizations', 'set'])).code).to.equal(2);
    expect((await list())[0]).to.include({ contact_email: 'owner@example.com' });
  });
});
