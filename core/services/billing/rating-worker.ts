import type { CallPrice } from '../../model/rating/rate.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { PeriodicWork } from '../runtime/periodic-work.js';
import type { Credit } from './credit.js';
import type { PlanService } from './plans.js';
import type { CallRating } from './rating.js';

export interface RatingWorkerOptions {
  readonly plans: Pick<PlanService, 'syncDefaultPlan'>;
  readonly rating: Pick<CallRating, 'rateAll'>;
  readonly credit: Pick<Credit, 'sweep'>;
  /** Call prices from the settings. */
  readonly prices: readonly CallPrice[];
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 2_000;

/** Rates finished calls every two seconds. Nothing is rated until the default plan from the settings is in force. */
export class RatingWorker {
  readonly #regular: PeriodicWork;
  #isDefaultPlanCurrent = false;

  constructor(private readonly options: RatingWorkerOptions) {
    const { clock, log } = options;
    const onFailure = (err: unknown): void => log.warn({ err }, 'failed to rate calls; will retry');
    this.#regular = new PeriodicWork({ work: () => this.#work(), everyMs: INTERVAL_MS, clock, onFailure });
  }

  start(): void {
    this.#regular.startNow();
  }

  /** Lets the current batch finish. */
  stop(): Promise<void> {
    return this.#regular.stop();
  }

  async #work(): Promise<void> {
    const { plans, rating, credit, prices } = this.options;
    if (!this.#isDefaultPlanCurrent) await plans.syncDefaultPlan(prices);
    this.#isDefaultPlanCurrent = true;
    await credit.sweep();
    await rating.rateAll(() => this.#regular.isStopped);
  }
}
