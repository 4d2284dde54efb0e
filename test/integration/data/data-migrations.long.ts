import { expect } from 'chai';
import { migrateDown, migrateUp, pendingMigrations } from '../../../core/data/schema/migrate.js';
import { migrations } from '../../../core/data/migrations/index.js';
import { schemaOf } from '../../support/judges/schema.js';
import { emptyDatabase, type TestDatabase } from '../../support/platform/database.js';

describe('all migrations', function () {
  this.timeout(180_000);
  const names = migrations.map((migration) => migration.name);
  let empty: TestDatabase;

  before(async () => {
    empty = await emptyDatabase();
  });
  after(() => empty.close());

  it('can be reverted and applied one by one', async () => {
    await migrateUp(empty.url);
    const whole = await schemaOf(empty.db);
    for (let steps = 1; steps <= names.length; steps += 1) {
      expect(await migrateDown(empty.url, steps)).to.deep.equal(names.slice(-steps).reverse());
      expect(await pendingMigrations(empty.url)).to.deep.equal(names.slice(-steps));
      expect(await migrateUp(empty.url)).to.deep.equal(names.slice(-steps));
      expect(await schemaOf(empty.db)).to.deep.equal(whole);
    }
  });
});
