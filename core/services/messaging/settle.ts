import type { MessageReceipts, PartsState } from '../../data/repositories/messaging/receipts.js';
import type { LockedMessage, Released, Submissions } from '../../data/repositories/messaging/submissions.js';
import { Batcher } from '../runtime/batcher.js';
import { changeTo, type MessageChange, type MessageProgress } from './progress.js';

export interface SettleMessagesOptions {
  readonly submissions: Pick<Submissions, 'transaction' | 'lock' | 'release'>;
  readonly receipts: Pick<MessageReceipts, 'take'>;
  readonly progress: Pick<MessageProgress, 'apply'>;
  readonly wake: (lanes: readonly string[]) => void;
}

/** What became known of messages. */
export interface Outcome {
  readonly changes?: readonly MessageChange[];
  /** Messages that are due again. */
  readonly released?: readonly Released[];
  /** Ids that providers gave to parts: receipts may wait for them. */
  readonly providerIds?: readonly string[];
  /** Whether other messages wait until it is stored. */
  readonly isAwaited?: boolean;
}

/** How long outcomes gather. Nobody waits for most of them but the reader of a status. */
const GATHER_MS = 20;
/** A transaction has ten statements, whatever it stores: if as many outcomes come as in a broadcast, more share one. */
const [MANY, MOST_PAUSES] = [10, 5];
const MOST_AT_ONCE = 1_000;

/** Stores outcomes of submissions, and receipts that are about them: many messages in one transaction. */
export class SettleMessages {
  readonly #batches: Batcher<Outcome>;

  constructor(private readonly options: SettleMessagesOptions) {
    this.#batches = new Batcher((outcomes) => this.#store(outcomes), {
      ...{ maxItems: MOST_AT_ONCE, gatherMs: GATHER_MS, isolates: true },
      gathersMore: (outcomes, pauses) =>
        pauses < MOST_PAUSES && outcomes.length >= MANY && !outcomes.some(({ isAwaited }) => isAwaited),
    });
  }

  /** Resolves when it is stored. A repeat changes nothing. @throws DatabaseUnavailable */
  async settle(outcome: Outcome): Promise<void> {
    const { changes = [], released = [], providerIds = [] } = outcome;
    if (changes.length + released.length + providerIds.length > 0) await this.#batches.add(outcome);
  }

  async #store(outcomes: readonly Outcome[]): Promise<undefined> {
    const { submissions, receipts, progress, wake } = this.options;
    const changes = outcomes.flatMap((outcome) => outcome.changes ?? []);
    const released = outcomes.flatMap((outcome) => outcome.released ?? []);
    const providerIds = [...new Set(outcomes.flatMap((outcome) => outcome.providerIds ?? []))];
    const ids = [...new Set([...changes, ...released].map(({ id }) => id))];
    const lanes = await submissions.transaction(async (tx) => {
      const rows = await submissions.lock(tx, ids, providerIds);
      if (rows.length === 0) return [];
      await submissions.release(tx, released);
      const known = rows.map(({ id }) => id);
      const states = providerIds.length === 0 ? [] : await receipts.take(tx, providerIds, known);
      return progress.apply(tx, rows, [...changes, ...reported(states, rows)]);
    });
    wake(lanes);
  }
}

/** What receipts say about the messages of their parts. */
function reported(states: readonly PartsState[], rows: readonly LockedMessage[]): MessageChange[] {
  const parts = new Map(rows.map((row) => [row.id, row.parts]));
  return states.flatMap((state) => changesOf(state, parts.get(state.message_id) ?? Infinity));
}

/** One part that failed fails the message, and all must arrive. */
function changesOf(state: PartsState, parts: number): readonly MessageChange[] {
  const { message_id: id, known, delivered, read, failed, failure } = state;
  const changes: MessageChange[] = [];
  // Receipts of a message without a response say that it was sent. One of which parts wait is not.
  if (known >= parts) changes.push(changeTo(id, 'sent'));
  if (failed > 0) {
    if (failure) changes.push({ ...changeTo(id, 'failed'), ...failure, reason: failure.reason ?? 'provider_fault' });
  } else {
    const isRead = read >= parts;
    if (isRead ? state.was_delivered : delivered >= parts) changes.push(changeTo(id, 'delivered'));
    if (isRead) changes.push(changeTo(id, 'read'));
  }
  return changes;
}
