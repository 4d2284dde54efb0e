import { violatedUnique } from '../../data/errors.js';
import type { MessageSenders } from '../../data/repositories/messaging/senders.js';
import type { Numbers } from '../../data/repositories/numbers/numbers.js';
import type { ProjectKind } from '../../data/repositories/project-kind.js';
import type { MessageSenderRow } from '../../data/rows.js';
import { invalidField, type Phrase } from '../../model/errors/index.js';
import { newId } from '../../model/ids.js';
import type { Channel } from '../../model/messaging/channels.js';
import { isSenderAddress, isSenderName } from '../../model/messaging/sender.js';
import { parseNumber } from '../../model/phone-numbers.js';
import type { Clock } from '../../ports/clock.js';
import type { ChannelAccess } from './channel-access.js';
import type { TemplateEditor } from './templates.js';
import { unknownSender } from './unknown.js';

export interface SenderServiceOptions {
  readonly senders: MessageSenders;
  readonly numbers: Pick<Numbers, 'findOf'>;
  readonly access: Pick<ChannelAccess, 'assert'>;
  readonly clock: Clock;
}

/**
 * Manages the names and numbers under which messages are sent. Carriers carry registered names only, so the operator
 * decides about each one; those of the sandbox, and own numbers, are approved at once.
 */
export class SenderService {
  constructor(private readonly options: SenderServiceOptions) {}

  /** @throws what ChannelAccess.assert throws; HatifError VALIDATION_ERROR */
  async create(channel: Channel, given: string, editor: TemplateEditor): Promise<MessageSenderRow> {
    const { senders, access, clock } = this.options;
    const number = channel === 'sms' && !isSenderName(given) ? parseNumber(given) : null;
    if (channel === 'sms' && number === null && !isSenderName(given)) throw invalidField('sender', BAD_SENDER);
    if (channel === 'email' && !isSenderAddress(given)) throw invalidField('sender', BAD_ADDRESS);
    // Under its own number a project writes to its softphones, which needs no carrier.
    await access.assert(channel, 'send', editor, number !== null);
    if (number !== null && !editor.sandbox) await this.#assertOwned(number.e164, editor.projectId);
    const now = clock.now();
    const isDecided = editor.sandbox || number !== null;
    const row: MessageSenderRow = {
      ...{ id: newId(), organization_id: editor.organizationId, project_id: editor.projectId },
      ...{ sandbox: editor.sandbox, channel, sender: number?.e164 ?? given, rejection_reason: null },
      ...{ status: isDecided ? 'approved' : 'pending', decided_at: isDecided ? now : null },
      ...{ created_by_key: editor.keyId, request_id: editor.requestId, created_at: now },
    };
    try {
      await senders.create(row);
    } catch (error) {
      if (violatedUnique(error) === 'message_senders_name') throw invalidField('sender', TAKEN);
      throw error;
    }
    return row;
  }

  createdBy(projectId: string, keyId: string, requestId: string): Promise<MessageSenderRow | null> {
    return this.options.senders.createdBy(projectId, keyId, requestId);
  }

  list(kind: ProjectKind, channel: Channel | null, before: string | null, limit: number): Promise<MessageSenderRow[]> {
    return this.options.senders.list(kind, channel, before, limit);
  }

  /** @throws HatifError NOT_FOUND, also for one of the other kind */
  async remove(kind: ProjectKind, id: string): Promise<void> {
    if (!(await this.options.senders.remove(kind, id))) throw unknownSender(id);
  }

  /** @throws HatifError VALIDATION_ERROR for a number that the project does not have */
  async #assertOwned(e164: string, projectId: string): Promise<void> {
    const number = await this.options.numbers.findOf({ projectId, sandbox: false }, e164);
    if (!number) throw invalidField('sender', NOT_OWNED);
  }
}

const BAD_SENDER: Phrase = {
  en: 'must be 1 to 11 Latin letters, digits, blanks, dots, dashes or underscores with a letter, or a number of the project',
  ar: 'يجب أن يتكون من 1 إلى 11 حرفًا لاتينيًّا أو رقمًا أو مسافة أو نقطة أو شرطة أو شرطة سفلية وفيه حرف، أو أن يكون رقمًا للمشروع',
};
const BAD_ADDRESS: Phrase = {
  en: 'must be an address such as shop@example.com, or Shop <shop@example.com>',
  ar: 'يجب أن يكون عنوانًا مثل `shop@example.com` أو `Shop <shop@example.com>`',
};
const TAKEN: Phrase = { en: 'exists already', ar: 'موجود من قبل' };
const NOT_OWNED: Phrase = { en: 'is not a number of this project', ar: 'ليس رقمًا لهذا المشروع' };
