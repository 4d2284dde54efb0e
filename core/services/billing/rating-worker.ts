import type { CallPrice } from '../../model/rating/rate.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { Credit } from './credit.js';
import type { PlanService } from './plans.js';
import type { CallRating } from './rating.js';

export interface RatingWorkerOptions {
  readonly plans: Pick<PlanService, 'follow'>;
  readonly rating: Pick<CallRating, 'rateAll'>;
  readonly credit: Pick<Credit, 'sweep'>;
  /** What the settings say that calls cost. */
  readonly prices: readonly CallPrice[];
}

const INTERVAL_MS = 2_000;

/** Rates what is over, every two seconds. Nothing is rated before the plan of the settings is in force. */
export class RatingWorker implements PeriodicTask {
  readonly name = 'rating';
  readonly everyMs = INTERVAL_MS;
  readonly startsAtOnce = true;
  #isFollowed = false;

  constructor(private readonly options: RatingWorkerOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { plans, rating, credit, prices } = this.options;
    if (!this.#isFollowed) await plans.follow(prices);
    this.#isFollowed = true;
    await credit.sweep();
    await rating.rateAll(isStopping);
  }
}
