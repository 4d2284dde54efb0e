import type { Queryable } from '../../data/database.js';
import { recordEvents } from '../../data/outbox.js';
import type { Ledger } from '../../data/repositories/billing/ledger.js';
import type { UsageEvents } from '../../data/repositories/billing/usage-events.js';
import type { MessageChange, Submissions } from '../../data/repositories/messaging/submissions.js';
import type { MessageRow, UsageEventRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import type { Spending } from '../billing/spending.js';
import { messageEvent } from './message-event.js';

export interface MessageProgressOptions {
  readonly submissions: Submissions;
  readonly usageEvents: Pick<UsageEvents, 'addAll'>;
  readonly ledger: Pick<Ledger, 'post'>;
  readonly spending: Pick<Spending, 'add'>;
  readonly clock: Clock;
}

/**
 * Moves messages to their next status. The change, its event and the charge of a message that is sent are one
 * transaction, and only a change that the status allows happens: so each message is charged once.
 */
export class MessageProgress {
  constructor(private readonly options: MessageProgressOptions) {}

  /** @returns the lanes that now have deliveries */
  async apply(tx: Queryable, changes: readonly MessageChange[]): Promise<readonly string[]> {
    const { submissions, clock } = this.options;
    const now = clock.now();
    const changed = await submissions.change(tx, changes, now);
    const lanes = await recordEvents(
      tx,
      changed.filter(({ is_system }) => is_system !== true).map((row) => messageEvent(row, now)),
    );
    const charged = changed.filter(({ status, amount }) => status === 'sent' && amount > 0);
    return [...lanes, ...(await this.#charge(tx, charged, now))];
  }

  async #charge(tx: Queryable, rows: readonly MessageRow[], now: Date): Promise<readonly string[]> {
    if (rows.length === 0) return [];
    const { usageEvents, ledger, spending } = this.options;
    const usage = rows.map(usageOf);
    await usageEvents.addAll(usage, tx);
    const postings = usage.map(({ id, organization_id, project_id, amount, type }) => ({
      ...{ organizationId: organization_id, kind: 'usage', reference: id, note: type },
      entries: [
        { type: 'project', projectId: project_id, amount: -amount },
        { type: 'revenue', projectId: null, amount },
      ] as const,
    }));
    await ledger.post(tx, postings, now);
    const day = riyadhDay(now);
    return spending.add(
      tx,
      usage.map(({ project_id, amount }) => ({ project_id, day, amount })),
    );
  }
}

/** The usage that a sent message is. Its id is new: no client can report it before. */
function usageOf({
  organization_id,
  project_id,
  channel,
  segments,
  amount,
  sent_at,
  created_at,
}: MessageRow): UsageEventRow {
  const id = newId();
  const at = sent_at ?? created_at;
  return {
    ...{ id, organization_id, project_id, event_id: id, type: `message.${channel}`, quantity: segments },
    ...{ unit_price: amount / segments, amount, occurred_at: at, created_at: at },
  };
}
