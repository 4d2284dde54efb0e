import type { Queryable } from '../../../data/database.js';
import type { Messages } from '../../../data/repositories/messaging/messages.js';
import type { MessageRow } from '../../../data/rows.js';
import type { Cipher } from '../../../model/access/cipher.js';
import { newId } from '../../../model/ids.js';
import type { MessageChannel } from '../../../ports/messaging/message-channel.js';
import { VALID_MS } from '../send.js';
import type { SoftphoneRecipients } from '../softphones/recipients.js';

export interface ShowIncomingOptions {
  readonly messages: Pick<Messages, 'add'>;
  readonly recipients: Pick<SoftphoneRecipients, 'of'>;
  readonly softphone: Pick<MessageChannel, 'parts'>;
  readonly cipher: Pick<Cipher, 'seal'>;
}

/**
 * Shows an SMS that comes in for a number which rings an agent on the agent's softphone, so that a phone gets the answers to
 * what it sends. The copy is a message of the platform itself: no list shows it, and no event reports it.
 */
export class ShowIncoming {
  constructor(private readonly options: ShowIncomingOptions) {}

  /** In the transaction that stores the message. @returns no lanes, because there are no events */
  async add(tx: Queryable, message: MessageRow): Promise<readonly string[]> {
    const { messages, recipients, softphone, cipher } = this.options;
    const { channel, sandbox, body, project_id, recipient, created_at: now } = message;
    if (channel !== 'sms' || sandbox || body === null || body === '') return [];
    const aor = await recipients.of(project_id, recipient);
    if (aor === null) return [];
    await messages.add(tx, {
      ...{ ...message, id: newId(), direction: 'outbound', thread_id: null, class: 'personal', status: 'queued' },
      ...{ body: cipher.seal(body), content: null, parts: softphone.parts(body), is_system: true, softphone: aor },
      ...{ due_at: now, valid_until: new Date(now.getTime() + VALID_MS) },
    });
    return [];
  }
}
