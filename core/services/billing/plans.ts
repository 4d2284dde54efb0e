import { violatedUnique } from '../../data/errors.js';
import { DEFAULT_PLAN, type RatePlans, type RatePlanVersion } from '../../data/repositories/billing/rate-plans.js';
import type { BillingMode, BillingProfileRow, RatePlanRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { Rate } from '../../model/rating/rate.js';
import type { CallPrice } from '../../model/rating/rate.js';
import type { Clock } from '../../ports/clock.js';

export interface PlanServiceOptions {
  readonly plans: RatePlans;
  readonly clock: Clock;
}

const NAME = /^[\w.-]{1,64}$/;
/** When the first version of the plan that the settings name came into force: before any call. */
const EVER = new Date(0);

/** Rate plans, and which organization pays by which. */
export class PlanService {
  constructor(private readonly options: PlanServiceOptions) {}

  list(): Promise<RatePlanRow[]> {
    return this.options.plans.list();
  }

  /** The plan's newest version; null where it has none. @throws HatifError RATE_PLAN_NOT_FOUND */
  async newest(name: string): Promise<RatePlanVersion | null> {
    const { plans } = this.options;
    const newest = (await plans.versionRows((await this.#named(name)).id)).at(-1);
    return newest ? plans.withRates(newest) : null;
  }

  /**
   * Put rates in force from a time on: all of them or none.
   * @param onProgress how many are written
   * @throws HatifError VALIDATION_ERROR: the name, two rates for the same, or a version from that very time is there already
   */
  async add(
    name: string,
    rates: readonly Rate[],
    validFrom: Date,
    onProgress?: (written: number) => void,
  ): Promise<RatePlanVersion> {
    const { plans, clock } = this.options;
    if (!NAME.test(name)) {
      throw invalidField('plan', {
        en: 'must be 1 to 64 letters, digits, dots, dashes or underscores',
        ar: 'يجب أن يتكوّن من 1 إلى 64 حرفًا أو رقمًا أو نقطة أو شرطة (`-`) أو شرطة سفلية (`_`)',
      });
    }
    try {
      return await plans.add(name, rates, validFrom, clock.now(), onProgress);
    } catch (error) {
      const violated = violatedUnique(error);
      if (violated === null) throw error;
      if (violated.startsWith('rates')) {
        throw invalidField('rates', {
          en: 'names the same direction, kind and prefix twice',
          ar: 'يكرر الاتجاه والنوع والبادئة نفسها مرتين',
        });
      }
      throw invalidField('valid_from', {
        en: 'is when another version of this plan begins already',
        ar: 'تبدأ في هذا الوقت نسخة أخرى من هذه الخطة',
      });
    }
  }

  /** The plan for all who have no other says what the settings say, from now on where that has changed. */
  async follow(prices: readonly CallPrice[]): Promise<void> {
    const { plans, clock } = this.options;
    const rates = prices.map((price) => ({ ...price, prefix: '', incrementSeconds: 60, minimumSeconds: 0 }));
    const plan = await plans.findByName(DEFAULT_PLAN);
    const row = plan && (await plans.versionRows(plan.id)).at(-1);
    const newest = row && (await plans.withRates(row));
    if (newest ? sameRates(newest.rates, rates) : rates.length === 0) return;
    await plans.add(DEFAULT_PLAN, rates, newest ? clock.now() : EVER, clock.now());
  }

  /** @throws HatifError RATE_PLAN_NOT_FOUND */
  async assign(organizationId: string, name: string): Promise<void> {
    await this.options.plans.setProfile(organizationId, { planId: (await this.#named(name)).id });
  }

  async setMode(organizationId: string, mode: BillingMode): Promise<void> {
    await this.options.plans.setProfile(organizationId, { mode });
  }

  profile(organizationId: string): Promise<BillingProfileRow> {
    return this.options.plans.profile(organizationId);
  }

  /** The plan that the organization pays by, and its version of now. @throws HatifError RATE_PLAN_NOT_FOUND where there is none yet */
  async current(organizationId: string): Promise<{ readonly plan: RatePlanRow; readonly version: RatePlanVersion }> {
    const { plans, clock } = this.options;
    const { plan_id } = await plans.profile(organizationId);
    const plan = plan_id === null ? null : await plans.get(plan_id);
    const row = plan && (await plans.versionRows(plan.id)).filter(({ valid_from }) => valid_from <= clock.now()).at(-1);
    if (!plan || !row) throw unknownPlan(plan?.name ?? DEFAULT_PLAN);
    return { plan, version: await plans.withRates(row) };
  }

  async #named(name: string): Promise<RatePlanRow> {
    const plan = await this.options.plans.findByName(name);
    if (!plan) throw unknownPlan(name);
    return plan;
  }
}

function sameRates(one: readonly Rate[], other: readonly Rate[]): boolean {
  const sorted = (rates: readonly Rate[]): string[] =>
    rates
      .map(({ direction, kind, prefix, perMinute, incrementSeconds, minimumSeconds }) =>
        JSON.stringify([direction, kind, prefix, perMinute, incrementSeconds, minimumSeconds]),
      )
      .sort();
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function unknownPlan(name: string): HatifError {
  return new HatifError('RATE_PLAN_NOT_FOUND', { rate_plan: name });
}
