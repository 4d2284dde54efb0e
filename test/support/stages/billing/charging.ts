import type { Database } from '../../../../core/data/database.js';
import { CallHolds } from '../../../../core/data/repositories/billing/call-holds.js';
import { Ledger } from '../../../../core/data/repositories/billing/ledger.js';
import { RatePlans } from '../../../../core/data/repositories/billing/rate-plans.js';
import { Ratings } from '../../../../core/data/repositories/billing/ratings.js';
import { newId } from '../../../../core/model/ids.js';
import type { Clock } from '../../../../core/ports/clock.js';
import { Credit } from '../../../../core/services/billing/credit.js';
import type { Ground } from '../../rows/rows.js';
import { BillingStage, RATE } from './billing-stage.js';

/** Credit as the platform opens it. */
export function creditOn(db: Database, clock: Clock): Credit {
  const [plans, ratings, ledger, holds] = [new RatePlans(db), new Ratings(db), new Ledger(db), new CallHolds(db)];
  return new Credit({ db, plans, ratings, ledger, holds, clock });
}

/** Ways in which a project may spend nothing more, with the error that the API answers then. */
export const SPENT = ['INSUFFICIENT_CREDITS', 'SPEND_CAP_EXCEEDED'] as const;

/** Gives the organization a price for calls, and makes the project's money run out. */
export async function spendAll(db: Database, ground: Ground, how: (typeof SPENT)[number]): Promise<void> {
  const billing = await BillingStage.on(db, '', ground);
  await billing.plan([RATE, { ...RATE, direction: 'inbound', perMinute: 0 }]);
  if (how === 'INSUFFICIENT_CREDITS') return billing.planService.setMode(ground.organizationId, 'prepaid');
  await billing.ratings.setCaps({ project_id: ground.projectId, day: 0, month: null });
}

/** Allocates money to a prepaid project. @param amount in micro-riyals */
export async function allocate(db: Database, { organizationId, projectId }: Ground, amount: number): Promise<void> {
  const { balances } = await BillingStage.on(db, '', { organizationId, projectId, engineId: '' });
  await balances.topUp(organizationId, amount, newId(), null);
  await balances.allocate(organizationId, projectId, amount);
}
