import { testDatabase, type TestDatabase } from './platform/database.js';

/**
 * In a `describe`: one database for all tests, and on it a stage of its own for each.
 * @param use is given the stage before each test
 * @param end closes it after each, and may find fault with what came to pass
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
