import type { Queryable } from '../../data/database.js';
import type { RatePlans, RatePlanVersion } from '../../data/repositories/rate-plans.js';
import type { ChargeToRate } from '../../data/repositories/ratings.js';
import type { RatingLine } from '../../data/rows.js';
import { costOf, rateOf } from '../../model/rating/rate.js';

/** The versions of plans as one piece of work sees them, each plan read once. */
export class PlanBook {
  readonly #versions = new Map<string, Promise<readonly RatePlanVersion[]>>();

  constructor(
    private readonly plans: Pick<RatePlans, 'versions'>,
    private readonly on: Queryable,
  ) {}

  /** The version that is in force at that time; null before the first one, and without a plan. */
  async inForce(planId: string | null, at: Date): Promise<RatePlanVersion | null> {
    if (planId === null) return null;
    let versions = this.#versions.get(planId);
    if (!versions) this.#versions.set(planId, (versions = this.plans.versions(planId, this.on)));
    return (await versions).filter(({ valid_from }) => valid_from <= at).at(-1) ?? null;
  }

  /** What the charge costs, by the plan as it was when the leg was answered. */
  async rate(charge: ChargeToRate): Promise<RatingLine> {
    const { id: charge_id, direction, kind, seconds } = charge;
    const version = await this.inForce(charge.plan_id, charge.started_at);
    const rate = version && rateOf(version.rates, charge);
    const { billedSeconds, amount } = rate ? costOf(rate, seconds) : { billedSeconds: 0, amount: 0 };
    return {
      charge_id,
      version_id: version?.id ?? null,
      direction,
      kind,
      prefix: rate?.prefix ?? null,
      seconds,
      billed_seconds: billedSeconds,
      per_minute: rate?.perMinute ?? 0,
      amount,
    };
  }
}
