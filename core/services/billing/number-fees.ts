import type { Database, Queryable } from '../../data/database.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { DueRental, ListedNumberFee, NumberFees } from '../../data/repositories/billing/number-fees.js';
import type { RatePlans } from '../../data/repositories/billing/rate-plans.js';
import type { NumberFeeRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import { monthStart } from '../../model/rating/number-fee.js';
import { riyadhDay, riyadhMidnight } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import { RatePlanCache } from './plan-cache.js';
import type { Spending } from './spending.js';

export interface NumberFeeChargingOptions {
  readonly db: Database;
  readonly fees: NumberFees;
  readonly plans: RatePlans;
  readonly ledger: Ledger;
  readonly spending: Spending;
  readonly clock: Clock;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

const BATCH_SIZE = 100;

/**
 * Charges the monthly fees of numbers in advance: a whole month at its start, from the assignment of a number until its
 * release. A fee, its ledger entries and the rental's next month are one transaction on the locked rental, so that each
 * month of a rental is charged once, whichever processes run or die, and missed months are made up for.
 */
export class NumberFeeCharging {
  constructor(private readonly options: NumberFeeChargingOptions) {}

  /**
   * Charges batches until no month is due. @param isStopped once it returns true, the remaining months wait for the next
   * run. @throws DatabaseUnavailable
   */
  async chargeAll(isStopped: () => boolean = () => false): Promise<void> {
    let count: number;
    do count = await this.charge();
    while (count > 0 && !isStopped());
  }

  /** Charges one month of each of a batch of rentals. @returns the number of rentals */
  async charge(): Promise<number> {
    const { db, fees, plans, clock, wake } = this.options;
    const { count, lanes } = await db.transaction(async (tx) => {
      const due = await fees.due(tx, clock.now(), BATCH_SIZE);
      const planCache = new RatePlanCache(plans, tx);
      const woken: string[] = [];
      for (const rental of due) woken.push(...(await this.#chargeNext(tx, rental, planCache)));
      return { count: due.length, lanes: [...new Set(woken)] };
    });
    if (lanes.length > 0) wake(lanes);
    return count;
  }

  /** A project's fees, newest first. */
  page(projectId: string, beforeId: string | null, limit: number): Promise<ListedNumberFee[]> {
    return this.options.fees.page(projectId, beforeId, limit);
  }

  async #chargeNext(tx: Queryable, rental: DueRental, planCache: RatePlanCache): Promise<readonly string[]> {
    const { fees } = this.options;
    const paid = rental.month === 0 ? await this.#paidBefore(tx, rental) : null;
    if (paid) {
      await fees.advance(tx, rental.id, paid);
      return [];
    }
    const { anchor, month } = rental;
    const ends_on = monthStart(anchor, month + 1);
    await fees.advance(tx, rental.id, { anchor, month: month + 1, next_at: riyadhMidnight(ends_on) });
    // An account that is a sandbox when the month starts does not pay for it.
    const price = rental.account_kind === 'sandbox' ? null : await planCache.numberFee(rental.plan_id, rental);
    if (price === null || price.amount === 0) return [];
    return this.#book(tx, rental, { ...price, starts_on: monthStart(anchor, month), ends_on });
  }

  /** The month that follows what the project has paid for the same number before it released it and took it again. */
  async #paidBefore(tx: Queryable, rental: DueRental): Promise<Pick<DueRental, 'anchor' | 'month' | 'next_at'> | null> {
    const before = await this.options.fees.previous(rental, tx);
    if (!before || before.month === 0) return null;
    const { anchor, month } = before;
    const next_at = riyadhMidnight(monthStart(anchor, month));
    return next_at > rental.assigned_at ? { anchor, month, next_at } : null;
  }

  async #book(
    tx: Queryable,
    { id: rental_id, month, number_id, organization_id, project_id, next_at, e164 }: DueRental,
    fee: Pick<NumberFeeRow, 'version_id' | 'amount' | 'starts_on' | 'ends_on'>,
  ): Promise<readonly string[]> {
    const { fees, ledger, spending, clock } = this.options;
    const now = clock.now();
    const id = newId();
    await fees.add(tx, { id, rental_id, month, number_id, organization_id, project_id, ...fee, created_at: now });
    const entries = [
      { type: 'project', projectId: project_id, amount: -fee.amount },
      { type: 'revenue', projectId: null, amount: fee.amount },
    ] as const;
    const posting = { organizationId: organization_id, kind: 'number_fee', reference: id, note: e164, entries };
    await ledger.post(tx, [posting], now);
    return spending.add(tx, [{ project_id, day: riyadhDay(next_at), amount: fee.amount }]);
  }
}
