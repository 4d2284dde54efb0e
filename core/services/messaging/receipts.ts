import type { MessageReceiptRow, MessageReceipts } from '../../data/repositories/messaging/receipts.js';
import { newId } from '../../model/ids.js';
import type { Clock, Timer } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { DeliveryReceipt } from '../../ports/messaging/message-channel.js';
import { Batcher } from '../runtime/batcher.js';
import type { SettleMessages } from './settle.js';

export interface TakeReceiptsOptions {
  readonly receipts: Pick<MessageReceipts, 'add' | 'learn'>;
  readonly settling: Pick<SettleMessages, 'settle'>;
  /** Whether a statement will soon be made that takes receipts along. */
  readonly isCollecting: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Receipts that somebody else's statement stores. */
export interface CollectedReceipts {
  readonly rows: readonly MessageReceiptRow[];
  /** @param left those whose messages must be looked up; nothing more is needed for the others */
  stored(left: readonly MessageReceiptRow[]): void;
  /** They are stored by themselves. */
  notStored(): void;
}

interface Waiting {
  readonly receipt: DeliveryReceipt;
  /** @param work rejects if the receipt could not be stored */
  readonly follow: (work: Promise<void>) => void;
}

/** How long a receipt waits for a statement that takes it along. */
const GATHER_MS = 5;
const MOST_AT_ONCE = 200;
/** Receipts that are stored and not matched yet. With more of them, the provider waits for its confirmation. */
const MOST_UNMATCHED = 2_000;

/**
 * Takes receipts of providers, in any order. A receipt is stored first and matched then, and so is each response to a
 * submission: whichever comes last finds the other one.
 */
export class TakeReceipts {
  #waiting: Waiting[] = [];
  #timer: Timer | null = null;
  readonly #stored: Batcher<DeliveryReceipt>;
  #unmatched = 0;

  constructor(private readonly options: TakeReceiptsOptions) {
    this.#stored = new Batcher((receipts) => this.#store(receipts), { maxItems: MOST_AT_ONCE, isolates: true });
  }

  /** Resolves once the receipt cannot be lost. The message changes soon afterwards. @throws DatabaseUnavailable */
  take(receipt: DeliveryReceipt): Promise<void> {
    // Which message it is must be learned, too.
    if (receipt.message) return this.#stored.add(receipt);
    if (this.#waiting.length === 0) this.#wait();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ receipt, follow: (work) => void work.then(resolve, reject) });
      if (this.#waiting.length >= MOST_AT_ONCE) this.#flush();
    });
  }

  /** The receipts that wait, for a statement that is about to be made. */
  collect(): CollectedReceipts {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#timer?.cancel();
    return {
      rows: this.#rowsOf(waiting.map(({ receipt }) => receipt)),
      stored: (left) => {
        const followed = this.#followed(left.map(({ provider_id }) => provider_id));
        for (const { follow } of waiting) follow(followed);
      },
      notStored: () => {
        for (const { receipt, follow } of waiting) follow(this.#stored.add(receipt));
      },
    };
  }

  #wait(): void {
    // Responses that have come meanwhile are read first: their statement is the one that takes the receipts along.
    this.#timer = this.options.clock.after(GATHER_MS, () => setImmediate(() => this.#flushUnlessCollecting()));
  }

  #flushUnlessCollecting(): void {
    if (this.#waiting.length === 0) return;
    if (this.options.isCollecting()) this.#wait();
    else this.#flush();
  }

  #flush(): void {
    this.collect().notStored();
  }

  async #store(given: readonly DeliveryReceipt[]): Promise<undefined> {
    const { receipts } = this.options;
    await receipts.add(this.#rowsOf(given));
    await receipts.learn(
      given.flatMap(({ message, provider, providerId }) => (message ? [{ ...message, provider, providerId }] : [])),
    );
    await this.#followed(given.map(({ providerId }) => providerId));
  }

  #rowsOf(given: readonly DeliveryReceipt[]): MessageReceiptRow[] {
    const received_at = this.options.clock.now();
    return given.map(({ provider, providerId, state, failure, recipient, sender }) => ({
      ...{ id: newId(), provider, provider_id: providerId, state, recipient, sender, received_at },
      reason: failure?.reason ?? null,
      provider_code: failure?.providerCode ?? null,
    }));
  }

  /** Lets the messages follow their receipts. */
  async #followed(providerIds: readonly string[]): Promise<void> {
    const matched = this.#match(providerIds);
    if (this.#unmatched > MOST_UNMATCHED) await matched;
  }

  async #match(providerIds: readonly string[]): Promise<void> {
    const { settling, log } = this.options;
    this.#unmatched += providerIds.length;
    try {
      await settling.settle({ providerIds });
    } catch (err) {
      log.warn({ err }, 'receipts could not be matched; the upkeep does it');
    } finally {
      this.#unmatched -= providerIds.length;
    }
  }
}
