import type { BillingAccountState } from '../billing/account.js';
import type { PlanService } from '../billing/plans.js';

const NAME = 'sandbox';

/** The account that a sandbox key sees: the sandbox costs nothing. */
export const SANDBOX_ACCOUNT: BillingAccountState = {
  mode: 'postpaid',
  planName: NAME,
  hasOwnPlan: true,
  pool: 0,
  balance: 0,
  held: 0,
  caps: { day: null, month: null },
  spent: { day: 0, month: 0 },
};

type CurrentPlan = Awaited<ReturnType<PlanService['current']>>;

/** The rate plan of {@link SANDBOX_ACCOUNT}. */
export const SANDBOX_PLAN: {
  readonly plan: Pick<CurrentPlan['plan'], 'name'>;
  readonly version: Pick<CurrentPlan['version'], 'version' | 'valid_from' | 'rates' | 'numberFees' | 'messageRates'>;
} = {
  plan: { name: NAME },
  version: { version: 1, valid_from: new Date(0), rates: [], numberFees: [], messageRates: [] },
};
