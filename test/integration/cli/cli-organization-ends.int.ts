import { expect } from 'chai';
import { HatifCommand } from '../../support/command.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';
import { newId } from '../../../core/model/ids.js';
import { groundIn, type Ground } from '../../support/rows/rows.js';

describe('hatif organizations delete', () => {
  let database: TestDatabase;
  let command: HatifCommand;
  let ground: Ground;

  before(async () => {
    database = await testDatabase();
    command = await HatifCommand.over(database.url);
  });
  after(async () => {
    await command.close();
    await database.close();
  });
  beforeEach(async () => {
    ground = await groundIn(database.db);
  });

  const remove = (id: string, name: string) => command.run(['organizations', 'delete', id, '--name', name]);

  it('needs the name, and changes nothing without it', async () => {
    const wrong = await remove(ground.organizationId, 'Other');
    expect(wrong.code).not.to.equal(0);
    expect(wrong.stderr).to.contain('name');
    expect((await command.run(['organizations', 'delete', ground.organizationId])).code).to.equal(2);
    expect((await remove(newId(), 'Test')).code).not.to.equal(0);
    expect((await command.run(['organizations', 'deletion', ground.organizationId])).code).not.to.equal(0);
    expect(await database.db.query('SELECT 1 FROM organization_endings')).to.deep.equal([]);
  });

  it('ends the organization by the service of the API, and is audited', async () => {
    const { code, stdout, stderr } = await remove(ground.organizationId, 'Test');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.contain(ground.organizationId).and.contain('organizations deletion');
    const [organization] = await database.db.query<{ ended_at: Date | null }>(
      'SELECT ended_at FROM organizations WHERE id = $1',
      [ground.organizationId],
    );
    expect(organization?.ended_at).to.be.instanceOf(Date);
    const rows = await database.db.query(`SELECT 1 FROM audit_log WHERE organization_id = $1 AND route = $2`, [
      ground.organizationId,
      'hatif organizations delete',
    ]);
    expect(rows).to.have.length(1);
    const shown = await command.json('organizations', 'deletion', ground.organizationId);
    expect(shown).to.include({ organization_id: ground.organizationId, status: 'waiting', step: 'stop' });
    expect((await command.run(['organizations', 'deletion', ground.organizationId])).stdout).to.contain('waiting');
  });
});
