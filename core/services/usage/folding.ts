import type { Usage } from '../../data/repositories/billing/usage.js';
import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

export interface UsageFoldingOptions {
  readonly usage: Pick<Usage, 'fold'>;
}

const INTERVAL_MS = 5_000;
const BATCH_SIZE = 5_000;

/**
 * Adds changes of calls to the usage rollups. Queries do not depend on it: they count changes that are not rolled up
 * yet separately, so a delay only makes queries slower.
 */
export class UsageFolding implements PeriodicTask {
  readonly name = 'usage rollup';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: UsageFoldingOptions) {}

  /** Runs until no changes are left. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    await inBatches(BATCH_SIZE, (size) => this.options.usage.fold(size), isStopping);
  }
}
