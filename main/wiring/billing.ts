import type { Clock } from '../../core/ports/clock.js';
import { BillingAccount } from '../../core/services/billing/account.js';
import { Balances } from '../../core/services/billing/balances.js';
import { Credit } from '../../core/services/billing/credit.js';
import { NumberFeeCharging } from '../../core/services/billing/number-fees.js';
import { PlanService } from '../../core/services/billing/plans.js';
import { CallRating } from '../../core/services/billing/rating.js';
import { bookRatings, compareRatings, type RatingReport } from '../../core/services/billing/rerating.js';
import { Spending } from '../../core/services/billing/spending.js';
import { ReportedUsage } from '../../core/services/billing/reported-usage.js';
import type { AskedBy } from '../../core/services/access/operator-audit.js';
import type { Stores } from './stores.js';

/** Services for prices, balances and the rating of calls. */
export interface Billing {
  readonly plans: PlanService;
  readonly balances: Balances;
  readonly account: BillingAccount;
  readonly reportedUsage: ReportedUsage;
  readonly rating: CallRating;
  readonly credit: Credit;
  readonly numberFees: NumberFeeCharging;
  /** @param from a day of Riyadh, `YYYY-MM-DD` @param to included */
  readonly compareRatings: (from: string, to: string) => Promise<RatingReport>;
  /** As {@link compareRatings}, and books the differences. */
  readonly bookRatings: (from: string, to: string, by?: AskedBy) => Promise<RatingReport>;
}

/** @param wake called with lanes that have webhooks to deliver */
export function openBilling(stores: Stores, clock: Clock, wake: (lanes: readonly string[]) => void): Billing {
  const { db, ledger, projects, ratePlans: plans, ratings, usageEvents, callHolds: holds, numberFees: fees } = stores;
  const spending = new Spending(ratings, clock);
  const balances = new Balances({ db, ledger, holds, projects, clock });
  return {
    plans: new PlanService({ plans, clock }),
    balances,
    account: new BillingAccount({ plans, ratings, holds, balances, clock }),
    reportedUsage: new ReportedUsage({ db, usageEvents, ledger, spending, clock, wake }),
    rating: new CallRating({ db, plans, ratings, ledger, holds, spending, clock, wake }),
    compareRatings: (from, to) => compareRatings({ db, plans, ratings, clock }, from, to),
    numberFees: new NumberFeeCharging({ db, fees, plans, ledger, spending, clock, wake }),
    bookRatings: (from, to, by) => bookRatings({ db, plans, ratings, ledger, spending, clock, wake }, from, to, by),
    credit: new Credit({ db, plans, ratings, ledger, holds, clock }),
  };
}
