import { expect } from 'chai';
import { destinationClasses } from '../../../core/data/migrations/0059-destination-classes.js';
import { guards } from '../../../core/data/migrations/0098-guards.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase, type TestDatabase } from '../../support/platform/database.js';

/** The classes of that time. */
const FIRST_CLASSES = ['national', 'foreign', 'premium', 'satellite'];

describe('The migrations of destination classes', () => {
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
    expect(await old()).to.deep.equal([{ project: FIRST_CLASSES, agent: FIRST_CLASSES }]);
    const young = await insert();
    expect(await young()).to.deep.equal([{ project: ['national'], agent: ['national'] }]);
  });

  it('let who may call national numbers call mobile ones too, also at night', async () => {
    const { db } = database;
    await db.transaction((tx) => guards.down(tx));
    const [national, foreign] = [await insert(), await insert()];
    const night = (...destination_classes: string[]) => ({ night: { from: '22:00', destination_classes } });
    await db.query(
      `UPDATE projects SET destination_classes = '{foreign}', fraud_limits = $1
       WHERE id = (SELECT project_id FROM agents ORDER BY id DESC LIMIT 1)`,
      [JSON.stringify({ project: night('national'), agents: night('foreign') })],
    );
    await db.query(`UPDATE agents SET fraud_limits = $1 WHERE id = (SELECT max(id::text)::uuid FROM agents)`, [
      JSON.stringify(night('national', 'foreign')),
    ]);
    await db.transaction((tx) => guards.up(tx));
    expect(await national()).to.deep.equal([{ project: ['national', 'mobile'], agent: ['national', 'mobile'] }]);
    expect(await foreign()).to.deep.equal([{ project: ['foreign'], agent: ['national', 'mobile'] }]);
    const [limits] = await db.query<{ project: object; agent: object }>(
      `SELECT project.fraud_limits AS project, agent.fraud_limits AS agent
       FROM projects AS project JOIN agents AS agent ON agent.project_id = project.id ORDER BY agent.id DESC LIMIT 1`,
    );
    expect(limits).to.deep.equal({
      project: { project: night('national', 'mobile'), agents: night('foreign') },
      agent: night('national', 'foreign', 'mobile'),
    });
    expect(await (await insert())()).to.deep.equal([
      { project: ['national', 'mobile'], agent: ['national', 'mobile'] },
    ]);
  });
});
