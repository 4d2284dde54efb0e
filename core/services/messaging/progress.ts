import type { Queryable } from '../../data/database.js';
import { recordEvents } from '../../data/outbox.js';
import type { Ledger, Posting } from '../../data/repositories/billing/ledger.js';
import type { UsageEvents } from '../../data/repositories/billing/usage-events.js';
import type { LockedMessage, Submissions } from '../../data/repositories/messaging/submissions.js';
import type { UsageEventRow } from '../../data/rows.js';
import { newId } from '../../model/ids.js';
import type { FailureReason } from '../../model/messaging/failure.js';
import type { MessageStatus } from '../../model/messaging/message.js';
import { riyadhDay } from '../../model/riyadh.js';
import type { Clock } from '../../ports/clock.js';
import type { Spending } from '../billing/spending.js';
import { messageEvent } from './message-event.js';

/** A change of a message's status. */
export interface MessageChange {
  readonly id: string;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly reason: FailureReason | null;
  readonly provider_code: string | null;
}

/** A change that needs no reason. */
export function changeTo(id: string, status: 'sent' | 'delivered' | 'read' | 'failed'): MessageChange {
  return { id, status, reason: null, provider_code: null };
}

export interface MessageProgressOptions {
  readonly submissions: Pick<Submissions, 'write'>;
  readonly usageEvents: Pick<UsageEvents, 'addAll'>;
  readonly ledger: Pick<Ledger, 'post'>;
  readonly spending: Pick<Spending, 'add'>;
  readonly clock: Clock;
}

/** The statuses that each change follows: none goes back, and a final status stays. */
const FOLLOWS: Readonly<Record<MessageChange['status'], readonly MessageStatus[]>> = {
  sent: ['queued'],
  delivered: ['sent'],
  read: ['sent', 'delivered'],
  failed: ['queued', 'sent'],
};

/**
 * Moves messages to their next statuses. The changes, their events and the charge of a message that is sent are one
 * transaction, and only a change that the status allows happens: so each message is charged once.
 */
export class MessageProgress {
  constructor(private readonly options: MessageProgressOptions) {}

  /**
   * @param rows messages that the transaction has locked
   * @param changes of some of them, in the order in which they happened; several of one message are one statement
   * @returns the lanes that now have deliveries
   */
  async apply(
    tx: Queryable,
    rows: readonly LockedMessage[],
    changes: readonly MessageChange[],
  ): Promise<readonly string[]> {
    const now = this.options.clock.now();
    const known = new Map(rows.map((row) => [row.id, row]));
    const changed = new Map<string, LockedMessage>();
    const steps: LockedMessage[] = [];
    for (const change of changes) {
      const row = changed.get(change.id) ?? known.get(change.id);
      if (!row || !FOLLOWS[change.status].includes(row.status)) continue;
      const next = changedBy(row, change, now);
      changed.set(row.id, next);
      steps.push(next);
    }
    if (steps.length === 0) return [];
    await this.options.submissions.write(tx, [...changed.values()], now);
    const lanes = await recordEvents(
      tx,
      steps.filter(({ is_system }) => is_system !== true).map((row) => messageEvent(row, now)),
    );
    const charged = steps.filter(({ status, amount }) => status === 'sent' && amount > 0);
    return [...lanes, ...(await this.#charge(tx, charged, now))];
  }

  async #charge(tx: Queryable, rows: readonly LockedMessage[], now: Date): Promise<readonly string[]> {
    if (rows.length === 0) return [];
    const { usageEvents, ledger, spending } = this.options;
    const charges = chargesOf(rows);
    const usage = charges.map((charge) => charge.usage);
    await usageEvents.addAll(usage, tx);
    await ledger.post(tx, postingsOf(charges), now);
    const day = riyadhDay(now);
    return spending.add(
      tx,
      usage.map(({ project_id, amount }) => ({ project_id, day, amount })),
    );
  }
}

/** The usage of one message, or of messages of a broadcast that cost the same for each segment. */
interface Charge {
  readonly broadcastId: string | null;
  readonly usage: UsageEventRow;
}

/** A hundred thousand messages of a broadcast are not as many rows: each message keeps its own amount. */
function chargesOf(rows: readonly LockedMessage[]): readonly Charge[] {
  const charges = new Map<string, Charge>();
  for (const row of rows) {
    const { broadcast_id: broadcastId, segments, amount } = row;
    const key = broadcastId === null ? row.id : `${broadcastId} ${row.channel} ${amount / segments}`;
    const known = charges.get(key)?.usage;
    const usage = known
      ? { ...known, quantity: known.quantity + segments, amount: known.amount + amount }
      : usageOf(row);
    charges.set(key, { broadcastId, usage });
  }
  return [...charges.values()];
}

/** A posting for each message; one for all those of a broadcast, which would fill the statement of its project. */
function postingsOf(charges: readonly Charge[]): readonly Posting[] {
  const groups = new Map<string, UsageEventRow>();
  for (const { broadcastId, usage } of charges) {
    const key = broadcastId ?? usage.id;
    const known = groups.get(key);
    groups.set(key, known ? { ...known, amount: known.amount + usage.amount } : usage);
  }
  return [...groups.values()].map(({ id, organization_id, project_id, amount, type }) => ({
    ...{ organizationId: organization_id, kind: 'usage', reference: id, note: type },
    entries: [
      { type: 'project', projectId: project_id, amount: -amount },
      { type: 'revenue', projectId: null, amount },
    ],
  }));
}

function changedBy(row: LockedMessage, { status, reason, provider_code }: MessageChange, at: Date): LockedMessage {
  return { ...row, status, error_reason: reason, provider_code, [`${status}_at`]: at };
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
}: LockedMessage): UsageEventRow {
  const id = newId();
  const at = sent_at ?? created_at;
  return {
    ...{ id, organization_id, project_id, event_id: id, type: `message.${channel}`, quantity: segments },
    ...{ unit_price: amount / segments, amount, occurred_at: at, created_at: at },
  };
}
