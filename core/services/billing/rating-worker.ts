import type { CallPrice } from '../../model/rating/rate.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { Credit } from './credit.js';
import type { PlanService } from './plans.js';
import type { CallRating } from './rating.js';

export interface RatingWorkerOptions {
  readonly plans: Pick<PlanService, 'syncDefaultPlan'>;
  readonly rating: Pick<CallRating, 'rateAll'>;
  readonly credit: Pick<Credit, 'sweep'>;
  /** Call prices from the settings. */
  readonly prices: readonly CallPrice[];
}

const INTERVAL_MS = 2_000;

/** Rates finished calls every two seconds. Nothing is rated until the default plan from the settings is in force. */
export class RatingWorker implements PeriodicTask {
  readonly name = 'rating';
  readonly everyMs = INTERVAL_MS;
  readonly startsAtOnce = true;
  #isDefaultPlanCurrent = false;

  constructor(private readonly options: RatingWorkerOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { plans, rating, credit, prices } = this.options;
    if (!this.#isDefaultPlanCurrent) await plans.syncDefaultPlan(prices);
    this.#isDefaultPlanCurrent = true;
    await credit.sweep();
    await rating.rateAll(isStopping);
  }
}
