import type { Database } from '../../../core/data/database.js';
import { Engines } from '../../../core/data/repositories/engines/engines.js';
import { newId } from '../../../core/model/ids.js';
import { stageEach } from '../each.js';

export interface EngineStage {
  readonly db: Database;
  readonly engines: Engines;
  /** The engine of this test. */
  readonly id: string;
}

/**
 * For a `describe`: a new engine without an owner for each test, on one database for all tests.
 * @param use receives it before each test
 */
export function engineEach(use: (stage: EngineStage) => void): void {
  const start = async (db: Database): Promise<EngineStage> => {
    const engines = new Engines(db);
    const { id } = await engines.upsert(`engine-${newId()}`, 'asterisk');
    return { db, engines, id };
  };
  stageEach(
    ({ db }) => start(db),
    use,
    () => Promise.resolve(),
  );
}
