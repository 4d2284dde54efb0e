import type { Usage } from '../../data/repositories/billing/usage.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface UsageFoldingOptions {
  readonly usage: Pick<Usage, 'fold'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Five seconds by default. */
  readonly everyMs?: number;
}

const INTERVAL_MS = 5_000;
const BATCH = 5_000;

/**
 * Adds what calls have changed to the rollups of usage. No answer waits for it and none changes by it: what is not added yet is counted
 * beside them, so that the longer nobody does this work, the longer answers take.
 */
export class UsageFolding {
  readonly #regular: PeriodicWork;

  constructor(private readonly options: UsageFoldingOptions) {
    const { clock, log, everyMs = INTERVAL_MS } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'usage was not rolled up; it is tried again');
    this.#regular = new PeriodicWork({ work: () => this.fold(), everyMs, clock, onFailure });
  }

  start(): void {
    this.#regular.start();
  }

  /** What is under way ends with its batch. */
  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** Until nothing is left. @throws DatabaseUnavailable */
  async fold(): Promise<void> {
    let count: number;
    do count = await this.options.usage.fold(BATCH);
    while (count === BATCH && !this.#regular.isStopped);
  }
}
