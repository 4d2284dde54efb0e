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
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

const BATCH_SIZE = 200;

/**
 * Rates finished calls: computes each call's cost by the plan in force when its legs were answered, charges the
 * project's account and records an event when a cap is near. Each batch is one transaction, so that no call is rated
 * twice or lost, whenever a process dies.
 */
export class CallRating {
  constructor(private readonly options: CallRatingOptions) {}

  /**
   * Rates batches until no calls are left. @param isStopped once it returns true, the remaining calls wait for the next
   * run. @throws DatabaseUnavailable
   */
  async rateAll(isStopped: () => boolean = () => false): Promise<void> {
    let count: number;
    do count = await this.rate();
    while (count > 0 && !isStopped());
  }

  /** Rates one batch. @returns the number of calls rated */
  async rate(): Promise<number> {
    const { db, wake } = this.options;
    const { count, lanes } = await db.transaction((tx) => this.#rateBatch(tx));
    if (lanes.length > 0) wake(lanes);
    return count;
  }

  async #rateBatch(tx: Queryable): Promise<{ count: number; lanes: readonly string[] }> {
    const { plans, ratings, holds, clock } = this.options;
    const charges = await ratings.take(tx, BATCH_SIZE);
    if (charges.length === 0) return { count: 0, lanes: [] };
    const rows = await rateCalls(charges, new RatePlanCache(plans, tx), clock.now());
    await ratings.write(tx, rows);
    await holds.remove(
      rows.map(({ call_id }) => call_id),
      tx,
    );
    return { count: rows.length, lanes: await this.#post(tx, rows) };
  }

  async #post(tx: Queryable, rows: readonly CallRatingRow[]): Promise<readonly string[]> {
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

/** Rates charges into one row per call. */
export async function rateCalls(
  charges: readonly ChargeToRate[],
  planCache: RatePlanCache,
  ratedAt: Date,
): Promise<CallRatingRow[]> {
  const byCall = new Map<string, [ChargeToRate, ...ChargeToRate[]]>();
  for (const charge of charges) {
    const known = byCall.get(charge.call_id);
    if (known) known.push(charge);
    else byCall.set(charge.call_id, [charge]);
  }
  const rows: CallRatingRow[] = [];
  for (const [call_id, ofCall] of byCall) {
    const lines: RatingLine[] = [];
    for (const charge of ofCall) lines.push(await planCache.rate(charge));
    const [{ organization_id, project_id, call_created_at }] = ofCall;
    rows.push({
      call_id,
      organization_id,
      project_id,
      day: riyadhDay(call_created_at),
      amount: lines.reduce<MicroSar>((sum, { amount }) => sum + amount, 0),
      lines,
      rated_at: ratedAt,
    });
  }
  return rows;
}
