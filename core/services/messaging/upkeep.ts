import type { MessageReceipts } from '../../data/repositories/messaging/receipts.js';
import type { MessageChange, Submissions } from '../../data/repositories/messaging/submissions.js';
import type { Clock } from '../../ports/clock.js';
import type { PeriodicTask } from '../runtime/periodic-task.js';
import type { MessageProgress } from './progress.js';
import type { TakeReceipts } from './receipts.js';

export interface MessageUpkeepOptions {
  readonly submissions: Submissions;
  readonly receipts: MessageReceipts;
  readonly takeReceipts: Pick<TakeReceipts, 'match'>;
  readonly progress: MessageProgress;
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
}

const INTERVAL_MS = 10_000;
const BATCH_SIZE = 200;
/** The longest time until a response or its loss is certain, and until its result is stored. */
const IN_FLIGHT_MS = 120_000;
/** The time until the status follows the parts of a message. Changing it twice does no harm. */
const STORED_WITHIN_MS = 15_000;
const SENT = { status: 'sent', reason: null, provider_code: null } as const;
const UNKNOWN = { status: 'failed', reason: 'outcome_unknown', provider_code: null } as const;
const HOUR_MS = 3_600_000;
/** How long a receipt can still have the outcome of a message. */
const UNKNOWN_MS = 24 * HOUR_MS;
const KEPT_RECEIPTS_MS = 72 * HOUR_MS;
const KEPT_FRAGMENTS_MS = 24 * HOUR_MS;

/**
 * Finds what crashes and lost responses have left: receipts without a part, messages whose parts were stored and not
 * their status, and messages without an outcome.
 */
export class MessageUpkeep implements PeriodicTask {
  readonly name = 'upkeep of messages';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: MessageUpkeepOptions) {}

  async run(): Promise<void> {
    const { submissions, receipts, takeReceipts, clock } = this.options;
    const now = clock.now().getTime();
    const adopted = await receipts.adopt('sms', new Date(now - IN_FLIGHT_MS), BATCH_SIZE);
    await takeReceipts.match(adopted);
    await takeReceipts.match(await receipts.matchable(BATCH_SIZE));
    await this.#finish(await submissions.answered(new Date(now - STORED_WITHIN_MS), BATCH_SIZE), SENT);
    await this.#finish(await submissions.unknownSince(new Date(now - UNKNOWN_MS), BATCH_SIZE), UNKNOWN);
    await receipts.purge(new Date(now - KEPT_RECEIPTS_MS), new Date(now - KEPT_FRAGMENTS_MS));
  }

  async #finish(ids: readonly string[], change: Omit<MessageChange, 'id'>): Promise<void> {
    const { submissions, progress, wake } = this.options;
    if (ids.length === 0) return;
    const lanes = await submissions.transaction(async (tx) => {
      await submissions.lock(tx, ids);
      return progress.apply(
        tx,
        ids.map((id) => ({ id, ...change })),
      );
    });
    wake(lanes);
  }
}
