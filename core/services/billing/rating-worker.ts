import type { CallPrice } from '../../model/rating/rate.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import type { Credit } from './credit.js';
import type { PlanService } from './plans.js';
import type { CallRating } from './rating.js';

export interface RatingWorkerOptions {
  readonly plans: Pick<PlanService, 'follow'>;
  readonly rating: Pick<CallRating, 'rateAll'>;
  readonly credit: Pick<Credit, 'sweep'>;
  /** What the settings say that calls cost. */
  readonly prices: readonly CallPrice[];
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 2_000;

/** Rates what is over, every two seconds. Nothing is rated before the plan of the settings is in force. */
export class RatingWorker {
  readonly #regular: PeriodicWork;
  #isFollowed = false;

  constructor(private readonly options: RatingWorkerOptions) {
    const { clock, log } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'calls were not rated; it is tried again');
    this.#regular = new PeriodicWork({ work: () => this.#work(), everyMs: INTERVAL_MS, clock, onFailure });
  }

  start(): void {
    this.#regular.startNow();
  }

  /** What is under way ends with its batch. */
  stop(): Promise<void> {
    return this.#regular.stop();
  }

  async #work(): Promise<void> {
    const { plans, rating, credit, prices } = this.options;
    if (!this.#isFollowed) await plans.follow(prices);
    this.#isFollowed = true;
    await credit.sweep();
    await rating.rateAll(() => this.#regular.isStopped);
  }
}
