import { violatedUnique } from '../../data/errors.js';
import {
  DEFAULT_PLAN,
  type PlanPrices,
  type RatePlans,
  type RatePlanVersion,
} from '../../data/repositories/billing/rate-plans.js';
import type { BillingMode, BillingProfileRow, RatePlanRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import type { MessagePrice, MessageRate } from '../../model/rating/message-rate.js';
import type { NumberFee, NumberPrice } from '../../model/rating/number-fee.js';
import type { Rate } from '../../model/rating/rate.js';
import type { CallPrice } from '../../model/rating/rate.js';
import type { Clock } from '../../ports/clock.js';

export interface PlanServiceOptions {
  readonly plans: RatePlans;
  readonly clock: Clock;
}

const NAME = /^[\w.-]{1,64}$/;
/** `valid_from` of the first version of the default plan: before any call. */
const EPOCH = new Date(0);

/** Manages rate plans, and assigns them to organizations. */
export class PlanService {
  constructor(private readonly options: PlanServiceOptions) {}

  list(): Promise<RatePlanRow[]> {
    return this.options.plans.list();
  }

  /** The plan's newest version; null if it has none. @throws HatifError RATE_PLAN_NOT_FOUND */
  async newest(name: string): Promise<RatePlanVersion | null> {
    const { plans } = this.options;
    const newest = (await plans.versionRows((await this.#named(name)).id)).at(-1);
    return newest ? plans.withRates(newest) : null;
  }

  /**
   * Adds a plan version that is in force from `validFrom`: stores all of its rates or none.
   * @param onProgress receives the number of rates stored so far
   * @param numberFees monthly fees of numbers
   * @param messageRates prices of messages
   * @throws HatifError VALIDATION_ERROR for an invalid name, duplicate rates or fees, or a `valid_from` that another version
   * already has
   */
  async add(
    name: string,
    rates: readonly Rate[],
    validFrom: Date,
    onProgress?: (written: number) => void,
    numberFees: readonly NumberFee[] = [],
    messageRates: readonly MessageRate[] = [],
  ): Promise<RatePlanVersion> {
    const { plans, clock } = this.options;
    if (!NAME.test(name)) {
      throw invalidField('plan', {
        en: 'must be 1 to 64 letters, digits, dots, dashes or underscores',
        ar: 'يجب أن يتكوّن من 1 إلى 64 حرفًا أو رقمًا أو نقطة أو شرطة (`-`) أو شرطة سفلية (`_`)',
      });
    }
    try {
      return await plans.add(name, { rates, numberFees, messageRates }, validFrom, clock.now(), onProgress);
    } catch (error) {
      const violated = violatedUnique(error);
      if (violated === null) throw error;
      if (violated.startsWith('rates')) {
        throw invalidField('rates', {
          en: 'names the same direction, kind and prefix twice',
          ar: 'يكرر الاتجاه والنوع والبادئة نفسها مرتين',
        });
      }
      if (violated.startsWith('number_rates')) {
        throw invalidField('number_fees', {
          en: 'names the same kind and prefix twice',
          ar: 'يكرر النوع والبادئة نفسيهما مرتين',
        });
      }
      if (violated.startsWith('message_rates')) {
        throw invalidField('message_rates', {
          en: 'names the same channel and prefix twice',
          ar: 'يكرر القناة والبادئة نفسيهما مرتين',
        });
      }
      throw invalidField('valid_from', {
        en: 'is already the start of another version of this plan',
        ar: 'تبدأ في هذا الوقت نسخة أخرى من هذه الخطة',
      });
    }
  }

  /**
   * Makes the default plan, which applies to organizations without their own, match the settings; a change applies from
   * now on.
   */
  async syncDefaultPlan(
    prices: readonly CallPrice[],
    numberPrices: readonly NumberPrice[] = [],
    messagePrices: readonly MessagePrice[] = [],
  ): Promise<void> {
    const { plans, clock } = this.options;
    const rates = prices.map((price) => ({ ...price, prefix: '', incrementSeconds: 60, minimumSeconds: 0 }));
    const numberFees = numberPrices.map((price) => ({ ...price, prefix: '' }));
    const messageRates = messagePrices.map((price) => ({ ...price, prefix: '' }));
    const plan = await plans.findByName(DEFAULT_PLAN);
    const row = plan && (await plans.versionRows(plan.id)).at(-1);
    const newest = row && (await plans.withRates(row));
    const wanted = { rates, numberFees, messageRates };
    if (samePrices(newest ?? { rates: [], numberFees: [], messageRates: [] }, wanted)) return;
    await plans.add(DEFAULT_PLAN, wanted, newest ? clock.now() : EPOCH, clock.now());
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

  /** The organization's plan and the version in force now. @throws HatifError RATE_PLAN_NOT_FOUND if there is none */
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

function samePrices(one: PlanPrices, other: PlanPrices): boolean {
  const sorted = ({ rates, numberFees, messageRates }: PlanPrices): string[] =>
    [
      ...rates.map(({ direction, kind, prefix, perMinute, incrementSeconds, minimumSeconds }) =>
        JSON.stringify([direction, kind, prefix, perMinute, incrementSeconds, minimumSeconds]),
      ),
      ...numberFees.map(({ kind, prefix, monthly }) => JSON.stringify([kind, prefix, monthly])),
      ...messageRates.map(({ channel, prefix, perSegment }) => JSON.stringify([channel, prefix, perSegment])),
    ].sort();
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function unknownPlan(name: string): HatifError {
  return new HatifError('RATE_PLAN_NOT_FOUND', { rate_plan: name });
}
