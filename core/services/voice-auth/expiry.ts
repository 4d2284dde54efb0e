import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import type { ChallengeCalls } from './challenge-calls.js';

const INTERVAL_MS = 1_000;
const BATCH_SIZE = 200;

export interface ChallengeExpiryOptions {
  readonly challengeCalls: ChallengeCalls;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Closes challenges whose call was not answered or was hung up, or that have expired. */
export class ChallengeExpiry {
  readonly #regular: PeriodicWork;

  constructor(private readonly options: ChallengeExpiryOptions) {
    const { clock, log } = options;
    this.#regular = new PeriodicWork({
      work: () => this.run(),
      everyMs: INTERVAL_MS,
      restFactor: 10,
      clock,
      onFailure: (err) => log.warn({ err }, 'failed to close ended authentication challenges'),
    });
  }

  start(): void {
    this.#regular.start();
  }

  stop(): Promise<void> {
    return this.#regular.stop();
  }

  async run(): Promise<void> {
    let count = BATCH_SIZE;
    while (count === BATCH_SIZE && !this.#regular.isStopped)
      count = await this.options.challengeCalls.closeEnded(BATCH_SIZE);
  }
}
