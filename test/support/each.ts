import { testDatabase, type TestDatabase } from './platform/database.js';

/**
 * For a `describe`: one database for all tests, and a new stage on it for each test.
 * @param use receives the stage before each test
 * @param end closes the stage after each test, and may check what happened
 */
export function stageEach<Stage>(
  start: (database: TestDatabase) => Promise<Stage>,
  use: (stage: Stage) => void,
  end: (stage: Stage) => Promise<void>,
): void {
  let database: TestDatabase;
  let stage: Stage;

  before(async () => {
    database = await testDatabase();
  });
  after(() => database.close());
  beforeEach(async () => {
    stage = await start(database);
    use(stage);
  });
  afterEach(() => end(stage));
}

/** For a `describe`: one database, and one stage on it for all tests. @param use receives both before the first test */
export function stageOnce<Stage extends { close(): Promise<void> }>(
  start: (database: TestDatabase) => Promise<Stage>,
  use: (stage: Stage, database: TestDatabase) => void,
): void {
  let database: TestDatabase;
  let stage: Stage;

  before(async () => {
    database = await testDatabase();
    stage = await start(database);
    use(stage, database);
  });
  after(async () => {
    await stage.close();
    await database.close();
  });
}
