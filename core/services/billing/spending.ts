import type { Queryable } from '../../data/database.js';
import { projectEvent, recordEvent } from '../../data/outbox.js';
import type { Ratings, Spent } from '../../data/repositories/billing/ratings.js';
import { sarNumber, type MicroSar } from '../../model/money.js';
import type { Clock } from '../../ports/clock.js';

/** An amount spent, and the day in Riyadh time to which it belongs. */
interface Cost {
  readonly project_id: string;
  readonly day: string;
  readonly amount: MicroSar;
}

/** Percentages of a cap at which a `usage.threshold` event is recorded. */
const THRESHOLDS = [80, 100] as const;

/** Sums what projects spend by day and month in Riyadh time, and checks the sums against their caps. */
export class Spending {
  constructor(
    private readonly ratings: Ratings,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds costs, and records a `usage.threshold` event for each cap of which they reach 80 or 100 percent. @returns
   * delivery lanes of the recorded events
   */
  async add(tx: Queryable, costs: readonly Cost[]): Promise<readonly string[]> {
    if (costs.length === 0) return [];
    const spent = await this.ratings.spend(tx, costs);
    const caps = await this.ratings.caps([...new Set(spent.map(({ project_id }) => project_id))], tx);
    const lanes: string[] = [];
    for (const each of spent) {
      const cap = caps.find(({ project_id }) => project_id === each.project_id);
      lanes.push(...(await this.#check(tx, each, 'day', each.day, each.of_day, cap?.day)));
      lanes.push(...(await this.#check(tx, each, 'month', `${each.day.slice(0, 7)}-01`, each.of_month, cap?.month)));
    }
    return [...new Set(lanes)];
  }

  async #check(
    tx: Queryable,
    { project_id, organization_id }: Spent,
    period: 'day' | 'month',
    starts: string,
    spent: MicroSar,
    cap: MicroSar | null | undefined,
  ): Promise<readonly string[]> {
    if (cap === null || cap === undefined) return [];
    const lanes: string[] = [];
    for (const percent of THRESHOLDS) {
      if (spent * 100 < cap * percent) continue;
      if (!(await this.ratings.recordThreshold(tx, project_id, period, starts, percent))) continue;
      const data = {
        period,
        starts,
        percent,
        cap_sar: sarNumber(cap),
        spent_sar: sarNumber(spent),
        currency: 'SAR' as const,
      };
      lanes.push(
        ...(await recordEvent(
          tx,
          projectEvent({
            organization_id,
            project_id,
            sandbox: false,
            type: 'usage.threshold',
            data: { project_id, ...data },
            created_at: this.clock.now(),
          }),
        )),
      );
    }
    return lanes;
  }
}
