import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { Messages } from '../../data/repositories/messaging/messages.js';
import type { MessageRow } from '../../data/rows.js';
import { HatifError, type Phrase } from '../../model/errors/index.js';
import { unknownMessage } from './unknown.js';

/** Cancels messages that were scheduled. */
export class CancelMessage {
  constructor(private readonly messages: Pick<Messages, 'get' | 'cancel'>) {}

  /** A repeat changes nothing. @throws HatifError NOT_FOUND, also for one of the other kind; MESSAGE_NOT_CANCELLABLE */
  async cancel(scope: CallScope, sandbox: boolean, id: string): Promise<MessageRow> {
    const known = await this.messages.get(scope, id);
    if (known?.sandbox !== sandbox) throw unknownMessage(id);
    if (known.status === 'cancelled') return known;
    const cancelled = await this.messages.cancel(id);
    if (cancelled) return cancelled;
    throw new HatifError('MESSAGE_NOT_CANCELLABLE', {
      message_id: id,
      reason: known.scheduled_at === null ? NOT_SCHEDULED : SUBMITTED,
    });
  }
}

const NOT_SCHEDULED: Phrase = { en: 'it is not scheduled', ar: 'ليست رسالة مجدولة' };
const SUBMITTED: Phrase = { en: 'it was submitted already', ar: 'سبق تسليمها إلى المزوّد' };
