import type { Usage } from '../../data/repositories/billing/usage.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';

export interface UsageFoldingOptions {
  readonly usage: Pick<Usage, 'fold'>;
}

const INTERVAL_MS = 5_000;
const BATCH = 5_000;

/**
 * Adds what calls have changed to the rollups of usage. No answer waits for it and none changes by it: what is not added yet is counted
 * beside them, so that the longer nobody does this work, the longer answers take.
 */
export class UsageFolding implements PeriodicTask {
  readonly name = 'usage rollup';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: UsageFoldingOptions) {}

  /** Until nothing is left. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    let count: number;
    do count = await this.options.usage.fold(BATCH);
    while (count === BATCH && !isStopping());
  }
}
