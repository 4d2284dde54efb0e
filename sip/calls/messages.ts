import type { SipContacts } from '../../core/data/repositories/sip/contacts.js';
import type { Logger } from '../../core/ports/logger.js';
import type { HeaderFields, SipTarget } from '../message/request.js';
import { messageSummary } from '../subscriptions/documents.js';
import { targetOf } from './targets.js';

export interface WaitingMessagesOptions {
  readonly contacts: Pick<SipContacts, 'registered' | 'takeChangedMessages'>;
  /** The waiting messages of softphones, as `fresh/heard`; without those that have none. */
  readonly messagesOf: (aors: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly canSend: () => boolean;
  readonly send: (method: string, target: SipTarget, headers: HeaderFields, body: string) => Promise<number | null>;
  readonly log: Logger;
}

const HEADERS: HeaderFields = {
  Event: 'message-summary',
  'Subscription-State': 'active',
  'Content-Type': 'application/simple-message-summary',
};

/**
 * Shows waiting messages on phones that did not subscribe to them, for every engine (NOTIFY `message-summary` without a
 * subscription, RFC 3842). Contacts know what they show, so a change is sent once, whichever process finds it.
 */
export class WaitingMessages {
  constructor(private readonly options: WaitingMessagesOptions) {}

  /** Sends what has changed. */
  async update(): Promise<void> {
    const { contacts, messagesOf, canSend, send, log } = this.options;
    if (!canSend()) return;
    const counts = await messagesOf([...(await contacts.registered())]);
    for (const row of await contacts.takeChangedMessages(counts)) {
      void send('NOTIFY', targetOf(row), HEADERS, messageSummary(row.messages)).then((status) => {
        if (status === null || status >= 300) {
          log.info({ aor: row.aor, status }, 'a phone does not show its waiting messages');
        }
      });
    }
  }
}
