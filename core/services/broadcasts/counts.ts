import type { MessageCount, SkipCount } from '../../data/repositories/messaging/broadcast-messages.js';
import type { BroadcastRow } from '../../data/rows.js';
import type { MessageStatus } from '../../model/messaging/message.js';
import type { BroadcastCounts } from '../../model/objects/broadcast.js';

/** What was counted of a broadcast. */
export interface Counted {
  readonly messages: readonly MessageCount[];
  readonly skips: readonly SkipCount[];
}

type VariantCounts = Omit<BroadcastCounts, 'waiting' | 'skipped'>;

/** How many recipients of a broadcast have each outcome: the numbers make up its total. */
export function countsOf({ total, status }: Pick<BroadcastRow, 'total' | 'status'>, counted: Counted): BroadcastCounts {
  const own = messageCounts(counted.messages);
  const skipped = counted.skips.reduce((sum, { count }) => sum + count, 0);
  const left = Math.max(0, total - own.total - skipped);
  const isCancelled = status === 'cancelled';
  return {
    ...{ total, waiting: isCancelled ? 0 : left, queued: own.queued, sent: own.sent, delivered: own.delivered },
    ...{ read: own.read, failed: own.failed, skipped, cancelled: own.cancelled + (isCancelled ? left : 0) },
  };
}

/** Of one variant, by its index. */
export function variantCounts(variant: number, { messages }: Counted): VariantCounts {
  return messageCounts(messages.filter((count) => count.variant === variant));
}

function messageCounts(messages: readonly MessageCount[]): VariantCounts {
  const count = (...statuses: readonly MessageStatus[]): number =>
    messages.reduce((sum, one) => (statuses.includes(one.status) ? sum + one.count : sum), 0);
  return {
    total: messages.reduce((sum, one) => sum + one.count, 0),
    queued: count('queued'),
    sent: count('sent', 'delivered', 'read'),
    delivered: count('delivered', 'read'),
    read: count('read'),
    failed: count('failed'),
    cancelled: count('cancelled'),
  };
}
