import type { CallHolds } from '../../data/repositories/billing/call-holds.js';
import { DEFAULT_PLAN, type RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { Ratings } from '../../data/repositories/billing/ratings.js';
import type { BillingMode, SpendCapsRow } from '../../data/rows.js';
import type { MicroSar } from '../../model/money.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import type { Balances } from './balances.js';

export interface BillingAccountOptions {
  readonly plans: RatePlans;
  readonly ratings: Ratings;
  readonly holds: CallHolds;
  readonly balances: Balances;
  readonly clock: Clock;
}

/** A project's account and its organization's pool. */
export interface BillingAccountState {
  readonly mode: BillingMode;
  /** The plan that applies: the organization's own, otherwise the default one. */
  readonly planName: string;
  /** Whether the plan was assigned to the organization. */
  readonly hasOwnPlan: boolean;
  readonly pool: MicroSar;
  readonly balance: MicroSar;
  /** Held for live calls. */
  readonly held: MicroSar;
  readonly caps: Omit<SpendCapsRow, 'project_id'>;
  readonly spent: { readonly day: MicroSar; readonly month: MicroSar };
}

/** Reads a project's account and spend, and sets its spend caps. */
export class BillingAccount {
  constructor(private readonly options: BillingAccountOptions) {}

  async read(organizationId: string, projectId: string): Promise<BillingAccountState> {
    const { plans, ratings, holds, balances, clock } = this.options;
    const [{ mode, plan_id }, pool, balance, held, [caps], spent] = await Promise.all([
      plans.profile(organizationId),
      balances.pool(organizationId),
      balances.project(organizationId, projectId),
      holds.sum(projectId),
      ratings.caps([projectId]),
      ratings.spent(projectId, riyadhDay(clock.now())),
    ]);
    const plan = plan_id === null ? null : await plans.get(plan_id);
    return {
      mode,
      planName: plan?.name ?? DEFAULT_PLAN,
      hasOwnPlan: plan !== null,
      pool,
      balance,
      held,
      caps: { day: caps?.day ?? null, month: caps?.month ?? null },
      spent: { day: spent.of_day, month: spent.of_month },
    };
  }

  /** Sets spend caps; amounts already spent in the current day and month count towards them. */
  setCaps(caps: SpendCapsRow): Promise<void> {
    return this.options.ratings.setCaps(caps);
  }
}
