import type { Database } from '../../data/database.js';
import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { Ratings } from '../../data/repositories/billing/ratings.js';
import type { MicroSar } from '../../model/money.js';
import type { Clock } from '../../ports/clock.js';
import { RatePlanCache } from './plan-cache.js';
import { rateCalls } from './rating.js';

/** A call whose cost differs under the current plans. */
export interface RatingDifference {
  readonly call_id: string;
  readonly project_id: string;
  readonly day: string;
  readonly was: MicroSar;
  readonly would_be: MicroSar;
}

export interface RatingReport {
  readonly calls: number;
  readonly was: MicroSar;
  readonly would_be: MicroSar;
  readonly differences: readonly RatingDifference[];
}

/**
 * Rates calls again from their charges and compares the amounts; changes nothing. Differences arise when a plan version
 * was added with a `valid_from` in the past.
 * @param from a day in Riyadh time, `YYYY-MM-DD`. @param to inclusive
 */
export function compareRatings(
  options: { readonly db: Database; readonly plans: RatePlans; readonly ratings: Ratings; readonly clock: Clock },
  from: string,
  to: string,
): Promise<RatingReport> {
  const { db, plans, ratings, clock } = options;
  return db.transaction(async (tx) => {
    // Calls rated during the comparison appear on both sides or on neither.
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const before = await ratings.between(from, to, tx);
    const charges = await ratings.ratedCharges(from, to, tx);
    const again = new Map(
      (await rateCalls(charges, new RatePlanCache(plans, tx), clock.now())).map((row) => [row.call_id, row.amount]),
    );
    const compared = before.map(({ call_id, project_id, day, amount }) => {
      return { call_id, project_id, day, was: amount, would_be: again.get(call_id) ?? 0 };
    });
    const sum = (of: 'was' | 'would_be'): MicroSar => compared.reduce((whole, call) => whole + call[of], 0);
    const differences = compared.filter(({ was, would_be }) => was !== would_be);
    return { calls: compared.length, was: sum('was'), would_be: sum('would_be'), differences };
  });
}
