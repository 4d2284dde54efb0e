import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { ChallengeCalls } from './challenge-calls.js';

const INTERVAL_MS = 1_000;
const BATCH_SIZE = 200;

export interface ChallengeExpiryOptions {
  readonly challengeCalls: ChallengeCalls;
}

/** Closes challenges whose call was not answered or was hung up, or that have expired. */
export class ChallengeExpiry implements PeriodicTask {
  readonly name = 'challenge settling';
  readonly everyMs = INTERVAL_MS;
  readonly restFactor = 10;

  constructor(private readonly options: ChallengeExpiryOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    await inBatches(BATCH_SIZE, (size) => this.options.challengeCalls.closeEnded(size), isStopping);
  }
}
