import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import type { ChallengeCalls } from './challenge-calls.js';

const EVERY_MS = 1_000;
const BATCH = 200;

export interface ChallengeSettlingOptions {
  readonly challengeCalls: ChallengeCalls;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Ends challenges that nobody answered, that were hung up, or whose time has passed. */
export class ChallengeSettling {
  readonly #regular: PeriodicWork;

  constructor(private readonly options: ChallengeSettlingOptions) {
    const { clock, log } = options;
    this.#regular = new PeriodicWork({
      work: () => this.run(),
      everyMs: EVERY_MS,
      restFactor: 10,
      clock,
      onFailure: (err) => log.warn({ err }, 'authentication calls that are over could not be settled'),
    });
  }

  start(): void {
    this.#regular.start();
  }

  stop(): Promise<void> {
    return this.#regular.stop();
  }

  async run(): Promise<void> {
    let count = BATCH;
    while (count === BATCH && !this.#regular.isStopped) count = await this.options.challengeCalls.settle(BATCH);
  }
}
