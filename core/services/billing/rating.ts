import type { Database, Queryable } from '../../data/database.js';
import type { CallHolds } from '../../data/repositories/billing/call-holds.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { ChargeToRate, Ratings } from '../../data/repositories/billing/ratings.js';
import type { CallRatingRow, RatingLine } from '../../data/rows.js';
import type { MicroSar } from '../../model/money.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import { RatePlanCache } from './plan-cache.js';
import type { Spending } from './spending.js';

export interface CallRatingOptions {
  readonly db: Database;
  readonly plans: RatePlans;
  readonly ratings: Ratings;
  readonly ledger: Ledger;
  readonly holds: CallHolds;
  readonly spending: Spending;
  readonly clock: Clock;
  /** There is something to deliver in these lanes. */
  readonly wake: (lanes: readonly string[]) => void;
}

const BATCH = 200;

/**
 * Rates calls that are over: what each costs by the plan in force when its legs were answered, taken off the project's account and told where
 * a cap is near. All of it is one transaction, so that no call is rated twice or lost, whoever dies when.
 */
export class CallRating {
  constructor(private readonly options: CallRatingOptions) {}

  /** Until nothing is left. @param isOver the rest is left for later. @throws DatabaseUnavailable */
  async rateAll(isOver: () => boolean = () => false): Promise<void> {
    let count: number;
    do count = await this.rate();
    while (count > 0 && !isOver());
  }

  /** @returns how many were rated */
  async rate(): Promise<number> {
    const { db, wake } = this.options;
    const { count, lanes } = await db.transaction((tx) => this.#batch(tx));
    if (lanes.length > 0) wake(lanes);
    return count;
  }

  async #batch(tx: Queryable): Promise<{ count: number; lanes: readonly string[] }> {
    const { plans, ratings, holds, clock } = this.options;
    const charges = await ratings.take(tx, BATCH);
    if (charges.length === 0) return { count: 0, lanes: [] };
    const rows = await rateCalls(charges, new RatePlanCache(plans, tx), clock.now());
    await ratings.write(tx, rows);
    await holds.remove(
      rows.map(({ call_id }) => call_id),
      tx,
    );
    return { count: rows.length, lanes: await this.#planCache(tx, rows) };
  }

  async #planCache(tx: Queryable, rows: readonly CallRatingRow[]): Promise<readonly string[]> {
    const { ledger, spending, clock } = this.options;
    const costing = rows.filter(({ amount }) => amount > 0);
    const postings = costing.map(({ call_id, organization_id, project_id, amount }) => ({
      organizationId: organization_id,
      kind: 'call',
      reference: call_id,
      note: null,
      entries: [
        { type: 'project', projectId: project_id, amount: -amount },
        { type: 'revenue', projectId: null, amount },
      ] as const,
    }));
    await ledger.post(tx, postings, clock.now());
    return spending.add(tx, costing);
  }
}

/** One row a call, of charges that come call by call. */
export async function rateCalls(
  charges: readonly ChargeToRate[],
  planCache: RatePlanCache,
  ratedAt: Date,
): Promise<CallRatingRow[]> {
  const byCall = new Map<string, ChargeToRate[]>();
  for (const charge of charges) byCall.set(charge.call_id, [...(byCall.get(charge.call_id) ?? []), charge]);
  const rows: CallRatingRow[] = [];
  for (const [call_id, ofCall] of byCall) {
    const lines: RatingLine[] = [];
    for (const charge of ofCall) lines.push(await planCache.rate(charge));
    const first = ofCall.reduce((one, other) => (other.started_at < one.started_at ? other : one));
    rows.push({
      call_id,
      organization_id: first.organization_id,
      project_id: first.project_id,
      day: riyadhDay(first.started_at),
      amount: lines.reduce<MicroSar>((sum, { amount }) => sum + amount, 0),
      lines,
      rated_at: ratedAt,
    });
  }
  return rows;
}
