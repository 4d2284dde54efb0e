import { DatabaseUnavailable } from '../../../data/errors.js';
import type { ClaimedMessage, Outbox, Submissions } from '../../../data/repositories/messaging/submissions.js';
import { pause } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { MessageChannel } from '../../../ports/messaging/message-channel.js';
import { changeTo } from '../progress.js';
import type { TakeReceipts } from '../receipts.js';
import type { SettleMessages } from '../settle.js';
import { SubmitMessage, untilDone, type SubmitMessageOptions } from './submit.js';
import { withReceipts, type AnsweredParts } from './with-receipts.js';

export interface MessageDispatcherOptions extends SubmitMessageOptions {
  readonly channel: MessageChannel;
  /** The messages that it submits. */
  readonly of: Outbox;
  readonly submissions: Pick<Submissions, 'turn' | 'addParts'>;
  readonly settling: Pick<SettleMessages, 'settle'>;
  /** Those that wait are stored together with answers. */
  readonly receipts: Pick<TakeReceipts, 'collect'>;
  readonly log: Logger;
}

/** What a provider answered, until it is stored. */
interface Answer extends AnsweredParts {
  /** Whether nothing of the message is lost any more once the parts are stored. */
  readonly isLast: boolean;
  /** @param isDelivered a receipt came with it, and is stored, too */
  stored(isDelivered: boolean): void;
  failed(error: unknown): void;
}

const POLL_MS = 500;
const RETRY_MS = 1_000;
/** How long answers gather while others are still expected. */
const GATHER_MS = 20;
const MOST_AT_ONCE = 200;
/** Messages that are submitted, or whose results are not stored yet. */
const MOST_UNDER_WAY = 2_000;

/**
 * Submits the messages that are due to one provider. A message is claimed before it is submitted, and only put back if
 * nothing reached the provider: so none is submitted twice, whenever a process dies.
 */
export class MessageDispatcher {
  readonly #submission: SubmitMessage;
  readonly #underWay = new Set<Promise<void>>();
  readonly #answers: Answer[] = [];
  /** Messages that were claimed and whose outcome is not stored: those that a process loses when it dies. */
  #open = 0;
  /** Those of them that the provider has not answered. */
  #unanswered = 0;
  #turnedAtMs = -Infinity;
  /** Whether the next turn waits for more answers. */
  #isHeld = false;
  #isStopped = false;
  #running: Promise<void> | null = null;
  #signal: (() => void) | null = null;
  #isSignalled = false;

  constructor(private readonly options: MessageDispatcherOptions) {
    this.#submission = new SubmitMessage(options);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** A message is due, or the channel has room. */
  signal(): void {
    this.#isSignalled = true;
    // While answers gather, the last of them ends the wait, or the time.
    if (!this.#isHeld || this.#unanswered === 0 || this.#isStopped) this.#signal?.();
  }

  /**
   * Whether answers wait for others to share their statement: one for a few messages costs as much as one for the whole
   * window.
   */
  isGathering(): boolean {
    const { channel, clock } = this.options;
    const isFilled = Number.isFinite(channel.window?.() ?? Infinity) && this.#unanswered > 0;
    return isFilled && clock.monotonicMs() - this.#turnedAtMs < GATHER_MS;
  }

  /** Claims nothing more. Resolves when the results of what was claimed are stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.signal();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.options;
    while (!this.#isStopped || this.#underWay.size > 0) {
      const isMore = await this.#turn().catch(async (err: unknown) => {
        log.warn({ err }, 'messages that are due could not be read; they are read again');
        await pause(clock, RETRY_MS);
        return false;
      });
      if (isMore || this.#takeSignal()) continue;
      await pause(clock, this.#isHeld ? GATHER_MS : POLL_MS, (end) => (this.#signal = end));
      this.#signal = null;
    }
  }

  #takeSignal(): boolean {
    const isSignalled = this.#isSignalled;
    this.#isSignalled = false;
    return isSignalled;
  }

  /** Stores what was answered, and submits what is due as far as the channel then has room. @returns whether it did */
  async #turn(): Promise<boolean> {
    const { of, submissions, receipts, clock } = this.options;
    this.#isHeld = this.isGathering();
    if (this.#isHeld) return false;
    const answers = this.#answers.splice(0);
    const room = this.#room(answers);
    if (room <= 0 && answers.length === 0) return false;
    this.#turnedAtMs = clock.monotonicMs();
    // Receipts may be of another channel: only a turn that stores something takes them along.
    const collected = answers.length > 0 ? receipts.collect() : null;
    const arrived = withReceipts(answers, collected?.rows ?? []);
    let rows: readonly ClaimedMessage[];
    try {
      rows = await submissions.turn(of, clock.now(), Math.max(0, room), arrived.parts, arrived.receipts);
    } catch (error) {
      collected?.notStored();
      await this.#afterFault(answers, error);
      throw error;
    }
    collected?.stored(arrived.receipts);
    this.#settled(answers, arrived.delivered);
    this.#open += rows.length;
    for (const row of rows) {
      const work = this.#submit(row)
        .catch((err: unknown) => this.options.log.error({ err, message: row.id }, 'a message could not be submitted'))
        .finally(() => {
          this.#underWay.delete(work);
          if (this.#isStopped) this.signal();
        });
      this.#underWay.add(work);
    }
    return rows.length > 0;
  }

  /** What was answered and is not stored takes its place in the window, too. */
  #room(answers: readonly Answer[]): number {
    const { channel } = this.options;
    if (this.#isStopped) return 0;
    const open = this.#open - answers.filter(({ isLast }) => isLast).length;
    const window = channel.window?.() ?? Infinity;
    const most = Math.min(window, MOST_UNDER_WAY) - open;
    return Math.min(MOST_AT_ONCE, channel.free(), most, MOST_UNDER_WAY - this.#underWay.size);
  }

  #settled(answers: readonly Answer[], delivered: ReadonlySet<Answer> = new Set()): void {
    this.#open -= answers.filter(({ isLast }) => isLast).length;
    for (const answer of answers) answer.stored(delivered.has(answer));
  }

  /** Keeps answers until the database is back. If one of them is the fault, the others are stored without it. */
  async #afterFault(answers: readonly Answer[], fault: unknown): Promise<void> {
    if (fault instanceof DatabaseUnavailable) {
      this.#answers.unshift(...answers);
      return;
    }
    for (const answer of answers) {
      try {
        await this.options.submissions.addParts(answer.parts);
        this.#settled([answer]);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) this.#answers.push(answer);
        else {
          if (answer.isLast) this.#open--;
          answer.failed(error);
        }
      }
    }
  }

  async #submit(row: ClaimedMessage): Promise<void> {
    const { settling, clock } = this.options;
    this.#unanswered++;
    const result = await this.#submission
      .submit(row)
      .catch((error: unknown) => {
        this.#open--;
        throw error;
      })
      .finally(() => this.#unanswered--);
    const { parts, change, released } = result;
    // From the parts alone, the upkeep finds that a message was sent.
    const isLast = parts.length > 0 && released === null && change?.status !== 'failed';
    try {
      const isDelivered = parts.length > 0 && (await this.#stored({ parts, isLast, isOnly: row.parts === 1 }));
      const outcome = {
        changes: [...(change ? [change] : []), ...(isDelivered ? [changeTo(row.id, 'delivered')] : [])],
        released: released ? [released] : [],
        // Of what has arrived, no receipt needs to be looked for.
        providerIds: isDelivered ? [] : parts.flatMap(({ provider_id }) => provider_id ?? []),
        // Until then it takes room in the window.
        isAwaited: !isLast,
      };
      await untilDone(clock, () => settling.settle(outcome));
    } finally {
      if (!isLast) {
        this.#open--;
        this.signal();
      }
    }
  }

  /** Resolves when the parts are stored, by the next turn. @returns whether the message has arrived */
  #stored(answer: Omit<Answer, 'stored' | 'failed'>): Promise<boolean> {
    return new Promise((stored, failed) => {
      this.#answers.push({ ...answer, stored, failed });
      this.signal();
    });
  }
}
