import type { Usage } from '../../data/repositories/billing/usage.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';

export interface UsageFoldingOptions {
  readonly usage: Pick<Usage, 'fold'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Default: five seconds. */
  readonly everyMs?: number;
}

const INTERVAL_MS = 5_000;
const BATCH_SIZE = 5_000;

/**
 * Adds changes of calls to the usage rollups. Queries do not depend on it: they count changes that are not rolled up
 * yet separately, so a delay only makes queries slower.
 */
export class UsageFolding {
  readonly #regular: PeriodicWork;

  constructor(private readonly options: UsageFoldingOptions) {
    const { clock, log, everyMs = INTERVAL_MS } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'failed to roll up usage; will retry');
    this.#regular = new PeriodicWork({ work: () => this.fold(), everyMs, clock, onFailure });
  }

  start(): void {
    this.#regular.start();
  }

  /** Lets the current batch finish. */
  stop(): Promise<void> {
    return this.#regular.stop();
  }

  /** Runs until no changes are left. @throws DatabaseUnavailable */
  async fold(): Promise<void> {
    let count: number;
    do count = await this.options.usage.fold(BATCH_SIZE);
    while (count === BATCH_SIZE && !this.#regular.isStopped);
  }
}
