import type { MessagePrice } from '../../model/rating/message-rate.js';
import type { NumberPrice } from '../../model/rating/number-fee.js';
import type { CallPrice } from '../../model/rating/rate.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import type { Credit } from './credit.js';
import type { NumberFeeCharging } from './number-fees.js';
import type { PlanService } from './plans.js';
import type { CallRating } from './rating.js';

export interface RatingWorkerOptions {
  readonly plans: Pick<PlanService, 'syncDefaultPlan'>;
  readonly rating: Pick<CallRating, 'rateAll'>;
  readonly credit: Pick<Credit, 'sweep'>;
  readonly numberFees: Pick<NumberFeeCharging, 'chargeAll'>;
  /** Call prices from the settings. */
  readonly prices: readonly CallPrice[];
  /** Monthly prices of numbers from the settings. */
  readonly numberPrices: readonly NumberPrice[];
  /** Prices of messages from the settings; none by default. */
  readonly messagePrices?: readonly MessagePrice[];
}

const INTERVAL_MS = 2_000;

/**
 * Rates finished calls and charges fees of numbers every two seconds. Neither happens until the default plan from the
 * settings is in force.
 */
export class RatingWorker implements PeriodicTask {
  readonly name = 'rating';
  readonly everyMs = INTERVAL_MS;
  readonly startsAtOnce = true;
  #isDefaultPlanCurrent = false;

  constructor(private readonly options: RatingWorkerOptions) {}

  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { plans, rating, credit, numberFees, prices, numberPrices, messagePrices } = this.options;
    if (!this.#isDefaultPlanCurrent) await plans.syncDefaultPlan(prices, numberPrices, messagePrices);
    this.#isDefaultPlanCurrent = true;
    await credit.sweep();
    await rating.rateAll(isStopping);
    await numberFees.chargeAll(isStopping);
  }
}
