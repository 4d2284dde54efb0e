import type { Database } from '../../data/database.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { UsageEvents } from '../../data/repositories/billing/usage-events.js';
import type { UsageEventRow } from '../../data/rows.js';
import { HatifError, invalidField } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { MicroSar } from '../../model/money.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import type { Spending } from './spending.js';

export interface ReportedUsageOptions {
  readonly db: Database;
  readonly usageEvents: UsageEvents;
  readonly ledger: Ledger;
  readonly spending: Spending;
  readonly clock: Clock;
  /** Called after events for these delivery lanes were recorded. */
  readonly wake: (lanes: readonly string[]) => void;
}

/** Usage of something other than a call. */
export interface NewUsageEvent {
  /** Chosen by the reporter: an event that is reported twice is counted once. */
  readonly eventId: string;
  readonly type: string;
  readonly quantity: number;
  readonly unitPrice: MicroSar;
  /** Default: now. */
  readonly occurredAt: Date | undefined;
}

/** How far a reporter's clock may be ahead. */
const CLOCK_TOLERANCE_MS = 300_000;

/** One million riyals: thousands of such events still sum up to a safe integer. In millionths of a riyal. */
const MAX_AMOUNT = 1_000_000_000_000;

/** Records usage that clients report, and charges it to the project's account. */
export class ReportedUsage {
  constructor(private readonly options: ReportedUsageOptions) {}

  /**
   * @throws HatifError DUPLICATE_USAGE_EVENT, VALIDATION_ERROR for a time in the future or an amount that is too large;
   * nothing is stored then.
   */
  async add(
    owner: { readonly organizationId: string; readonly projectId: string },
    { eventId, type, quantity, unitPrice, ...optional }: NewUsageEvent,
  ): Promise<UsageEventRow> {
    const { db, usageEvents, ledger, spending, clock, wake } = this.options;
    const now = clock.now();
    const occurredAt = optional.occurredAt ?? now;
    if (occurredAt.getTime() > now.getTime() + CLOCK_TOLERANCE_MS) {
      throw invalidField('occurred_at', { en: 'must not be in the future', ar: 'يجب ألا يكون في المستقبل' });
    }
    const amount = quantity * unitPrice;
    if (amount > MAX_AMOUNT) {
      throw invalidField('quantity', {
        en: 'times unit_price_sar must be at most 1,000,000 SAR',
        ar: 'مضروبًا في `unit_price_sar` يجب ألا يزيد على 1,000,000 ريال',
      });
    }
    const { organizationId: organization_id, projectId: project_id } = owner;
    const row: UsageEventRow = {
      id: newId(),
      organization_id,
      project_id,
      event_id: eventId,
      type,
      quantity,
      unit_price: unitPrice,
      amount,
      occurred_at: occurredAt,
      created_at: now,
    };
    const lanes = await db.transaction(async (tx) => {
      if (!(await usageEvents.add(row, tx))) throw new HatifError('DUPLICATE_USAGE_EVENT', { event_id: eventId });
      if (amount === 0) return [];
      const entries = [
        { type: 'project', projectId: project_id, amount: -amount },
        { type: 'revenue', projectId: null, amount },
      ] as const;
      const posting = { organizationId: organization_id, kind: 'usage', reference: row.id, note: type, entries };
      await ledger.post(tx, [posting], now);
      return spending.add(tx, [{ project_id, day: riyadhDay(occurredAt), amount }]);
    });
    if (lanes.length > 0) wake(lanes);
    return row;
  }
}
