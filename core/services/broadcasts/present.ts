import type { RecipientOutcome } from '../../data/repositories/messaging/broadcast-recipients.js';
import type { BroadcastRow } from '../../data/rows.js';
import { variantKey, variantOf, type BroadcastVariant } from '../../model/broadcasts/broadcast.js';
import type {
  BroadcastCounts,
  BroadcastObject,
  BroadcastRecipient,
  BroadcastWithProgress,
  EventedBroadcast,
} from '../../model/objects/broadcast.js';
import { isoTime } from '../../model/time.js';
import { countsOf, variantCounts, type Counted } from './counts.js';

/** A broadcast as lists show it. */
export function presentBroadcast(row: BroadcastRow): BroadcastObject {
  return { ...membersOf(row), track_links: row.track_links, variants: row.variants.map(presentVariant) };
}

/** A broadcast with how far it is. */
export function presentProgress(row: BroadcastRow, counted: Counted): BroadcastWithProgress {
  const failures = new Map<
    string,
    { reason: NonNullable<Counted['messages'][number]['error_reason']>; count: number }
  >();
  for (const { error_reason: reason, count } of counted.messages) {
    if (reason !== null) failures.set(reason, { reason, count: count + (failures.get(reason)?.count ?? 0) });
  }
  return {
    ...membersOf(row),
    track_links: row.track_links,
    variants: row.variants.map((variant, index) => {
      const { total, queued, sent, delivered, read, failed } = variantCounts(index, counted);
      return { ...presentVariant(variant, index), counts: { total, queued, sent, delivered, read, failed } };
    }),
    counts: countsOf(row, counted),
    failures: [...failures.values()].sort((one, other) => (one.reason < other.reason ? -1 : 1)),
    skips: counted.skips.map(({ reason, count }) => ({ reason, count })),
  };
}

/** A broadcast as events show it. */
export function eventedBroadcastOf(row: BroadcastRow, counts: BroadcastCounts): EventedBroadcast {
  return { ...membersOf(row), counts };
}

export function presentRecipient(row: RecipientOutcome, { variants }: BroadcastRow): BroadcastRecipient {
  const { number, address, contact_id, outcome, skip_reason, attempts, message_id, error_reason, provider_code } = row;
  return {
    ...{ number, to: address, contact_id, variant: address === null ? null : keyFor(variants, number) },
    ...{ status: outcome, skip_reason, attempts, message_id },
    error: error_reason === null ? null : { reason: error_reason, provider_code },
    due_at: outcome === 'waiting' ? isoTime(row.due_at) : null,
  };
}

/** The name of the variant that a recipient gets. */
export function keyFor(variants: BroadcastRow['variants'], number: number): string {
  return variantKey(variantOf(weightsOf(variants), number));
}

export function weightsOf(variants: BroadcastRow['variants']): readonly number[] {
  return variants.map(({ weight }) => weight);
}

function presentVariant({ template, variables, weight }: BroadcastVariant, index: number) {
  return { key: variantKey(index), template, variables: variables.map((source) => ({ ...source })), weight };
}

function membersOf(row: BroadcastRow): Omit<BroadcastObject, 'track_links' | 'variants'> {
  const { id, name, channel, status, problem, sender, source, group_id, file_name, local_time } = row;
  return {
    ...{ id, name, channel, status, problem, from: sender, class: row.class, source, group_id, file_name },
    scheduled_at: isoTime(row.scheduled_at),
    ...{ local_time, rate_per_minute: row.rate_per_minute, metadata: { ...row.metadata }, sandbox: row.sandbox },
    created_at: isoTime(row.created_at),
    started_at: isoTime(row.started_at),
    finished_at: isoTime(row.finished_at),
  };
}
