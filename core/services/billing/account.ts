import type { CallHolds } from '../../data/repositories/billing/call-holds.js';
import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
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

/** A project's account, and the pool of its organization. */
export interface BillingAccountState {
  readonly mode: BillingMode;
  /** Null where no plan is there yet. */
  readonly planName: string | null;
  readonly pool: MicroSar;
  readonly balance: MicroSar;
  /** What live calls may yet cost. */
  readonly held: MicroSar;
  readonly caps: Omit<SpendCapsRow, 'project_id'>;
  readonly spent: { readonly day: MicroSar; readonly month: MicroSar };
}

/** How a project's account stands, and what it may spend. */
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
      planName: plan?.name ?? null,
      pool,
      balance,
      held,
      caps: { day: caps?.day ?? null, month: caps?.month ?? null },
      spent: { day: spent.of_day, month: spent.of_month },
    };
  }

  /** What has been spent already counts for it from now on. */
  setCaps(caps: SpendCapsRow): Promise<void> {
    return this.options.ratings.setCaps(caps);
  }
}
