import type { Queryable } from '../../data/database.js';
import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { DueRental } from '../../data/repositories/billing/number-fees.js';
import type { ChargeToRate } from '../../data/repositories/billing/ratings.js';
import type { RatePlanVersionRow, RatingLine } from '../../data/rows.js';
import { feeOf } from '../../model/rating/number-fee.js';
import type { MicroSar } from '../../model/money.js';
import { costOf, type Rate, type RatedLeg } from '../../model/rating/rate.js';

type Leg = Omit<RatedLeg, 'seconds'>;

/** The rates of plans as seen by one unit of work; each plan is read once. */
export class RatePlanCache {
  readonly #versions = new Map<string, Promise<readonly RatePlanVersionRow[]>>();

  constructor(
    private readonly plans: Pick<RatePlans, 'versionRows' | 'table' | 'numberFees'>,
    private readonly on: Queryable,
  ) {}

  /** The leg's rate in the plan version in force at that time; null if there is none. */
  async rateOf(planId: string | null, at: Date, leg: Leg): Promise<Rate | null> {
    const version = await this.#inForce(planId, at);
    return version && this.#find(version, leg);
  }

  /** The cost of a charge by the plan version in force when the leg was answered. */
  async rate(charge: ChargeToRate): Promise<RatingLine> {
    const { id: charge_id, direction, kind, seconds } = charge;
    const version = await this.#inForce(charge.plan_id, charge.started_at);
    const rate = version && (await this.#find(version, charge));
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

  /** The price of the rental's next month by the plan version in force when it starts; null if there is none. */
  async numberFee(
    planId: string | null,
    rental: Pick<DueRental, 'e164' | 'kind' | 'next_at'>,
  ): Promise<{ readonly version_id: string; readonly amount: MicroSar } | null> {
    const version = await this.#inForce(planId, rental.next_at);
    const fee = version && feeOf(await this.plans.numberFees(version.id, this.on), rental);
    return fee && { version_id: version.id, amount: fee.monthly };
  }

  /** Null before the first version, and if the organization has no plan. */
  async #inForce(planId: string | null, at: Date): Promise<RatePlanVersionRow | null> {
    if (planId === null) return null;
    let versions = this.#versions.get(planId);
    if (!versions) this.#versions.set(planId, (versions = this.plans.versionRows(planId, this.on)));
    return (await versions).filter(({ valid_from }) => valid_from <= at).at(-1) ?? null;
  }

  async #find({ id }: RatePlanVersionRow, leg: Leg): Promise<Rate | null> {
    return (await this.plans.table(id, this.on)).find(leg);
  }
}
