import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { ChallengeCalls } from './challenge-calls.js';

const EVERY_MS = 1_000;
const BATCH = 200;

export interface ChallengeSettlingOptions {
  readonly challengeCalls: ChallengeCalls;
}

/** Ends challenges that nobody answered, that were hung up, or whose time has passed. */
export class ChallengeSettling implements PeriodicTask {
  readonly name = 'challenge settling';
  readonly everyMs = EVERY_MS;
  readonly restFactor = 10;

  constructor(private readonly options: ChallengeSettlingOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    let count = BATCH;
    while (count === BATCH && !isStopping()) count = await this.options.challengeCalls.settle(BATCH);
  }
}
