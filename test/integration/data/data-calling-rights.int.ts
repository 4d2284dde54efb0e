import { expect } from 'chai';
import { destinationClasses } from '../../../core/data/migrations/0059-destination-classes.js';
import { newId } from '../../../core/model/ids.js';
import { DESTINATION_CLASSES } from '../../../core/model/number/destination-class.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

describe('The migration to destination classes', () => {
  let database: TestDatabase;
  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());

  /** Inserts an organization, a project and an agent with the columns of before. @returns their classes */
  async function insert(): Promise<() => Promise<unknown>> {
    const { db } = database;
    const [organization, project, agent] = [newId(), newId(), newId()];
    await db.query(
      `INSERT INTO organizations (id, name, account_kind, flags, created_at) VALUES ($1, 'Old', 'production', '{}', now())`,
      [organization],
    );
    await db.query(
      `INSERT INTO projects (id, organization_id, name, signing_secret, created_at) VALUES ($1, $2, 'old', 's', now())`,
      [project, organization],
    );
    await db.query(
      `INSERT INTO agents (id, project_id, organization_id, agent, aor, display_name, sip_password, created_at)
       VALUES ($1::uuid, $2, $3, '1001', $1::text, 'Agent', 'sealed', now())`,
      [agent, project, organization],
    );
    return () =>
      db.query(
        `SELECT project.destination_classes AS project, agent.destination_classes AS agent
         FROM projects AS project JOIN agents AS agent ON agent.project_id = project.id WHERE project.id = $1`,
        [project],
      );
  }

  it('lets those that exist call what they called before, and new ones national numbers', async () => {
    await database.db.transaction((tx) => destinationClasses.down(tx));
    const old = await insert();
    await database.db.transaction((tx) => destinationClasses.up(tx));
    expect(await old()).to.deep.equal([{ project: [...DESTINATION_CLASSES], agent: [...DESTINATION_CLASSES] }]);
    const young = await insert();
    expect(await young()).to.deep.equal([{ project: ['national'], agent: ['national'] }]);
  });
});
