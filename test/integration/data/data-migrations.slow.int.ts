import { expect } from 'chai';

import { migrateDown, migrateUp } from '../../../core/data/schema/migrate.js';
import { migrations } from '../../../core/data/migrations/index.js';
import { schemaOf } from '../../support/judges/schema.js';
import { emptyDatabase, testDatabase, type TestDatabase } from '../../support/platform/database.js';

describe('migrations', function () {
  this.timeout(60_000);
  const names = migrations.map((migration) => migration.name);
  let empty: TestDatabase;

  beforeEach(async () => {
    empty = await emptyDatabase();
  });
  afterEach(() => empty.close());

  it('are named in the order of application', () => {
    expect(names).to.deep.equal([...names].sort());
    expect(new Set(names).size).to.equal(names.length);
  });

  it('leave the same schema after up, down and up again', async () => {
    expect(await migrateUp(empty.url)).to.deep.equal(names);
    const first = await schemaOf(empty.db);
    expect(first.filter(({ kind }) => kind === 'index')).to.have.length.greaterThan(20);
    expect(await migrateDown(empty.url)).to.deep.equal([...names].reverse());
    const left = await schemaOf(empty.db);
    expect(left.map(({ name }) => name).filter((name) => !name.startsWith('migrations'))).to.deep.equal([]);
    expect(await migrateUp(empty.url)).to.deep.equal(names);
    expect(await schemaOf(empty.db)).to.deep.equal(first);
  });

  it('are applied once when several processes start at the same time', async () => {
    const applied = await Promise.all([migrateUp(empty.url), migrateUp(empty.url), migrateUp(empty.url)]);
    expect(applied.map((list) => list.length).sort()).to.deep.equal([0, 0, names.length]);
    const rows = await empty.db.query<{ name: string }>('SELECT name FROM migrations ORDER BY name');
    expect(rows.map(({ name }) => name)).to.deep.equal(names);
  });

  it('leave the schema unchanged when a step fails', async () => {
    // The third step creates a table with this name.
    await empty.db.query('CREATE TABLE legs (id integer)');
    let failure: unknown;
    await migrateUp(empty.url).catch((error: unknown) => (failure = error));
    expect(failure).to.be.an('error').with.property('message').that.includes('legs');
    const tables = await empty.db.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
    );
    expect(tables.map(({ name }) => name)).to.deep.equal(['legs']);
    await empty.db.query('DROP TABLE legs');
    expect(await migrateUp(empty.url)).to.deep.equal(names);
  });

  it('create ids in SQL that sort with those created in code', async () => {
    const database = await testDatabase();
    try {
      const before = Date.now();
      const rows = await database.db.query<{ id: string }>(
        'SELECT uuid_v7() AS id FROM generate_series(1, 1000) AS n ORDER BY n',
      );
      const ids = rows.map(({ id }) => id);
      expect(new Set(ids).size).to.equal(ids.length);
      for (const id of ids) {
        expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        const madeAt = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
        // One second of tolerance between the clocks of PostgreSQL and of this process.
        expect(madeAt).to.be.within(before - 1000, Date.now() + 1000);
      }
      // The first 60 bits hold the time to a quarter of a microsecond; they never decrease within a
      // statement.
      const times = ids.map((id) => id.slice(0, 18));
      expect(times).to.deep.equal([...times].sort());
    } finally {
      await database.close();
    }
  });
});
