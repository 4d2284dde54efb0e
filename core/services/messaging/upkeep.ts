import type { MessageReceipts } from '../../data/repositories/messaging/receipts.js';
import type { Submissions } from '../../data/repositories/messaging/submissions.js';
import type { Clock } from '../../ports/clock.js';
import { inBatches } from '../runtime/batches.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import { changeTo, type MessageChange } from './progress.js';
import type { SettleMessages } from './settle.js';

export interface MessageUpkeepOptions {
  readonly submissions: Submissions;
  readonly receipts: MessageReceipts;
  readonly settling: Pick<SettleMessages, 'settle'>;
  readonly clock: Clock;
}

const INTERVAL_MS = 10_000;
const BATCH_SIZE = 200;
/** The longest time until a response or its loss is certain, and until its result is stored. */
const IN_FLIGHT_MS = 120_000;
/** The time until the status follows the parts of a message. Changing it twice does no harm. */
const STORED_WITHIN_MS = 15_000;
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

  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { submissions, receipts, settling, clock } = this.options;
    const now = clock.now().getTime();
    const adopted = await receipts.adopt('sms', new Date(now - IN_FLIGHT_MS), BATCH_SIZE);
    await settling.settle({ providerIds: adopted });
    const match = async (size: number): Promise<number> => {
      const providerIds = await receipts.matchable(size);
      await settling.settle({ providerIds });
      return providerIds.length;
    };
    await inBatches(BATCH_SIZE, match, isStopping);
    const [answered, given] = [new Date(now - STORED_WITHIN_MS), new Date(now - UNKNOWN_MS)];
    const finish = async (size: number): Promise<number> => {
      const found = await submissions.answered(answered, size);
      const changes = found.flatMap(({ id, is_delivered }): MessageChange[] =>
        is_delivered ? [changeTo(id, 'sent'), changeTo(id, 'delivered')] : [changeTo(id, 'sent')],
      );
      await settling.settle({ changes });
      return found.length;
    };
    const giveUp = async (size: number): Promise<number> => {
      const ids = await submissions.unknownSince(given, size);
      await settling.settle({ changes: ids.map((id) => ({ id, ...UNKNOWN })) });
      return ids.length;
    };
    await inBatches(BATCH_SIZE, finish, isStopping);
    await inBatches(BATCH_SIZE, giveUp, isStopping);
    await receipts.purge(new Date(now - KEPT_RECEIPTS_MS), new Date(now - KEPT_FRAGMENTS_MS));
  }
}
