import type { MessageChange } from '../../data/repositories/messaging/submissions.js';
import type { MatchedReceipt, MessageReceipts, PartsState } from '../../data/repositories/messaging/receipts.js';
import { newId } from '../../model/ids.js';
import type { Clock } from '../../ports/clock.js';
import type { DeliveryReceipt } from '../../ports/messaging/message-channel.js';
import { Batcher } from '../runtime/batcher.js';
import type { MessageProgress } from './progress.js';

export interface TakeReceiptsOptions {
  readonly receipts: MessageReceipts;
  readonly progress: MessageProgress;
  readonly clock: Clock;
  readonly wake: (lanes: readonly string[]) => void;
}

const MOST_AT_ONCE = 200;

/**
 * Takes receipts of providers, in any order. A receipt is stored first and matched then, and so is each response to a
 * submission: whichever comes last finds the other one.
 */
export class TakeReceipts {
  readonly #stored: Batcher<DeliveryReceipt>;

  constructor(private readonly options: TakeReceiptsOptions) {
    this.#stored = new Batcher((receipts) => this.#store(receipts), { maxItems: MOST_AT_ONCE, isolates: true });
  }

  /** Resolves once the receipt cannot be lost. @throws DatabaseUnavailable */
  take(receipt: DeliveryReceipt): Promise<void> {
    return this.#stored.add(receipt);
  }

  /** Applies the receipts that wait for these ids of providers. @throws DatabaseUnavailable */
  async match(providerIds: readonly string[]): Promise<void> {
    if (providerIds.length === 0) return;
    const { receipts, progress, wake } = this.options;
    const lanes = await receipts.transaction(async (tx) => {
      const matched = await receipts.takeMatching(tx, providerIds);
      if (matched.length === 0) return [];
      const states = await receipts.apply(tx, matched);
      const woken: string[] = [];
      // Receipts of a message without a response say that it was sent. One of which parts wait is not.
      const sent = states.filter(({ known, parts }) => known >= parts);
      const toSent = sent.map(({ message_id }) => changeTo(message_id, 'sent'));
      woken.push(...(await progress.apply(tx, toSent)));
      woken.push(...(await progress.apply(tx, changesOf(states, matched))));
      return woken;
    });
    wake(lanes);
  }

  async #store(given: readonly DeliveryReceipt[]): Promise<undefined> {
    const { receipts, clock } = this.options;
    const received_at = clock.now();
    await receipts.add(
      given.map(({ provider, providerId, state, failure, recipient, sender }) => ({
        ...{ id: newId(), provider, provider_id: providerId, state, recipient, sender, received_at },
        reason: failure?.reason ?? null,
        provider_code: failure?.providerCode ?? null,
      })),
    );
    await receipts.learn(
      given.flatMap(({ message, provider, providerId }) => (message ? [{ ...message, provider, providerId }] : [])),
    );
    await this.match(given.map(({ providerId }) => providerId));
  }
}

/** What the parts say about their messages: one that failed fails the message, and all must arrive. */
function changesOf(states: readonly PartsState[], matched: readonly MatchedReceipt[]): MessageChange[] {
  return states.flatMap(({ message_id, parts, delivered, read, failed }): MessageChange[] => {
    if (failed > 0) {
      const receipt = matched.find((one) => one.message_id === message_id && one.state === 'failed');
      if (!receipt) return [];
      const { reason, provider_code } = receipt;
      return [{ id: message_id, status: 'failed', reason: reason ?? 'provider_fault', provider_code }];
    }
    if (read >= parts) return [changeTo(message_id, 'read')];
    return delivered >= parts ? [changeTo(message_id, 'delivered')] : [];
  });
}

function changeTo(id: string, status: MessageChange['status']): MessageChange {
  return { id, status, reason: null, provider_code: null };
}
