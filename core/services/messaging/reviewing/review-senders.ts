import { violatedUnique } from '../../../data/errors.js';
import type { MessageSenders } from '../../../data/repositories/messaging/senders.js';
import type { MessageSenderRow } from '../../../data/rows.js';
import { invalidField } from '../../../model/errors/index.js';
import type { SenderStatus } from '../../../model/messaging/sender.js';
import type { Clock } from '../../../ports/clock.js';
import { unknownSender } from '../unknown.js';

/** Decides, for the operator, about the names under which organizations send messages. */
export class ReviewSenders {
  constructor(
    private readonly senders: Pick<MessageSenders, 'page' | 'waiting' | 'decide'>,
    private readonly clock: Clock,
  ) {}

  /** Those of all organizations, newest first. @param before the last one of the page before */
  page(status: SenderStatus | null, before: string | null, limit: number): Promise<MessageSenderRow[]> {
    return this.senders.page(status, before, limit);
  }

  /** Those of all organizations that await approval, oldest first. */
  waiting(): Promise<MessageSenderRow[]> {
    return this.senders.waiting();
  }

  /** Once the carriers have registered the name. @throws HatifError NOT_FOUND, VALIDATION_ERROR */
  approve(id: string): Promise<MessageSenderRow> {
    return this.#decide(id, 'approved', null);
  }

  /** Also takes back an approval. @param reason shown to the organization @throws HatifError NOT_FOUND */
  reject(id: string, reason: string | null): Promise<MessageSenderRow> {
    return this.#decide(id, 'rejected', reason);
  }

  async #decide(id: string, status: 'approved' | 'rejected', reason: string | null): Promise<MessageSenderRow> {
    try {
      const row = await this.senders.decide(id, status, reason, this.clock.now());
      if (row) return row;
    } catch (error) {
      if (violatedUnique(error) !== 'message_senders_name') throw error;
      throw invalidField('sender', {
        en: 'was registered again since it was rejected',
        ar: 'أُعيد تسجيله بعد رفضه',
      });
    }
    throw unknownSender(id);
  }
}
