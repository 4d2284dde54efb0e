import type { Database } from '../../../core/data/database.js';
import { migrations } from '../../../core/data/migrations/index.js';
import { testDatabase, type TestDatabase } from '../platform/database.js';
import { groundIn, type Ground } from '../rows/rows.js';

/** A database as the release before a migration left it. */
export interface UpgradeStage {
  readonly db: Database;
  readonly ground: Ground;
  /** Applies the migration. */
  readonly upgrade: () => Promise<void>;
  /** Undoes it. */
  readonly downgrade: () => Promise<void>;
}

/** For a `describe`: a new database for each test. @param number of the migration, for example 0056 */
export function upgradeEach(number: string, use: (stage: UpgradeStage) => void): void {
  const migration = migrations.find(({ name }) => name.startsWith(`${number}-`));
  if (!migration) throw new Error(`no migration ${number}`);
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase();
    const { db } = database;
    const ground = await groundIn(db);
    await migration.down(db);
    use({ db, ground, upgrade: () => migration.up(db), downgrade: () => migration.down(db) });
  });
  afterEach(() => database.close());
}
