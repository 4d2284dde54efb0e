import type { Database, Queryable } from '../../data/database.js';
import { insertAuditRows } from '../../data/repositories/accounts/audit.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { Ratings } from '../../data/repositories/billing/ratings.js';
import type { CallRatingRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import { formatSar, type MicroSar } from '../../model/money.js';
import { riyadhDay, riyadhMidnight } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import { operatorAudit, type AskedBy } from '../access/operator-audit.js';
import { RatePlanCache } from './plan-cache.js';
import { rateCalls } from './rating.js';
import type { Spending } from './spending.js';

/** A call whose cost differs under the current versions of its plan. */
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

export interface ReratingOptions {
  readonly db: Database;
  readonly plans: RatePlans;
  readonly ratings: Ratings;
  readonly clock: Clock;
}

export interface BookRatingsOptions extends ReratingOptions {
  readonly ledger: Ledger;
  readonly spending: Spending;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

interface Rerated extends RatingReport {
  /** The new ratings of the calls that differ. */
  readonly rows: readonly CallRatingRow[];
}

/**
 * Rates calls again from their charges, by the plans that they were rated by, and compares the amounts; changes nothing.
 * Differences arise when a plan version was added with a `valid_from` in the past.
 * @param from a day in Riyadh time, `YYYY-MM-DD`. @param to inclusive
 */
export function compareRatings(options: ReratingOptions, from: string, to: string): Promise<RatingReport> {
  return options.db.transaction(async (tx) => {
    // Calls rated during the comparison appear on both sides or on neither.
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows: _, ...report } = await rerate(options, tx, from, to);
    return report;
  });
}

/**
 * Rates calls again as {@link compareRatings} does, and books the differences: a correction beside each rating, the
 * difference between project and revenue, and for a command an audit row for each organization. Each day is one transaction. A
 * repetition, also after an interruption or at the same time, books only the remaining differences.
 * @returns what was booked
 */
export async function bookRatings(
  options: BookRatingsOptions,
  from: string,
  to: string,
  by: AskedBy = 'command',
): Promise<RatingReport> {
  const whole = { calls: 0, was: 0, would_be: 0, differences: [] as RatingDifference[] };
  for (let day = from; day <= to; day = dayAfter(day)) {
    const { report, lanes } = await options.db.transaction((tx) => bookDay(options, tx, day, by));
    if (lanes.length > 0) options.wake(lanes);
    whole.calls += report.calls;
    whole.was += report.was;
    whole.would_be += report.would_be;
    whole.differences.push(...report.differences);
  }
  return whole;
}

async function rerate(
  { plans, ratings, clock }: ReratingOptions,
  tx: Queryable,
  from: string,
  to: string,
): Promise<Rerated> {
  const before = await ratings.between(from, to, tx);
  const charges = await ratings.ratedCharges(from, to, tx);
  const rated = await rateCalls(charges, new RatePlanCache(plans, tx), clock.now());
  const again = new Map(rated.map((row) => [row.call_id, row]));
  const compared = before.map(({ call_id, project_id, day, amount }) => {
    return { call_id, project_id, day, was: amount, would_be: again.get(call_id)?.amount ?? 0 };
  });
  const sum = (of: 'was' | 'would_be'): MicroSar => compared.reduce((whole, call) => whole + call[of], 0);
  const differences = compared.filter(({ was, would_be }) => was !== would_be);
  const rows = differences.flatMap(({ call_id }) => again.get(call_id) ?? []);
  return { calls: compared.length, was: sum('was'), would_be: sum('would_be'), differences, rows };
}

async function bookDay(
  options: BookRatingsOptions,
  tx: Queryable,
  day: string,
  by: AskedBy,
): Promise<{ readonly report: RatingReport; readonly lanes: readonly string[] }> {
  const { ratings, ledger, spending, clock } = options;
  await ratings.lockCorrections(tx);
  const { rows, ...report } = await rerate(options, tx, day, day);
  if (rows.length === 0) return { report, lanes: [] };
  const now = clock.now();
  const was = new Map(report.differences.map((call) => [call.call_id, call.was]));
  const corrected = rows.map(({ call_id, organization_id, project_id, amount, lines }) => {
    const difference = amount - (was.get(call_id) ?? 0);
    return { id: newId(), call_id, organization_id, project_id, amount, difference, lines, booked_at: now };
  });
  const numbered = new Map((await ratings.correct(tx, corrected)).map(({ call_id, sequence }) => [call_id, sequence]));
  const postings = corrected.map(({ call_id, organization_id, project_id, difference }) => ({
    organizationId: organization_id,
    kind: 'rerating',
    reference: `${call_id}:${numbered.get(call_id) ?? 0}`,
    note: null,
    entries: [
      { type: 'project', projectId: project_id, amount: -difference },
      { type: 'revenue', projectId: null, amount: difference },
    ] as const,
  }));
  await ledger.post(tx, postings, now);
  const audits = [...new Set(corrected.map(({ organization_id }) => organization_id))].map((organization) => {
    const own = corrected.filter(({ organization_id }) => organization_id === organization);
    const difference_sar = formatSar(own.reduce((sum, { difference }) => sum + difference, 0));
    const details = { day, calls: own.length, difference_sar };
    return operatorAudit(organization, '/v1/billing/ledger', 'hatif rates rerate', details, now);
  });
  if (by === 'command') await insertAuditRows(tx, audits);
  const costs = corrected.map(({ project_id, difference }) => ({ project_id, day, amount: difference }));
  return { report, lanes: await spending.add(tx, costs) };
}

const DAY_MS = 86_400_000;

function dayAfter(day: string): string {
  return riyadhDay(new Date(riyadhMidnight(day).getTime() + DAY_MS));
}
