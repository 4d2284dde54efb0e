import type { MessageRow, OrganizationRow } from '../../../data/rows.js';
import { newId } from '../../../model/ids.js';
import { spokenLanguageOf } from '../../../model/messaging/fallback.js';
import { fitsClass } from '../../../model/messaging/sender.js';
import type { Logger } from '../../../ports/logger.js';
import type { SendMessage } from '../send.js';

export interface ConfirmOptOutOptions {
  readonly send: Pick<SendMessage, 'send'>;
  readonly organization: (id: string) => Promise<OrganizationRow | null>;
  readonly log: Logger;
}

/** Each fits into one SMS. */
const TEXTS = {
  en: 'You will get no more offers or news from us here. To get them again, answer START.',
  ar: 'لن تصلك عروضنا وأخبارنا هنا بعد الآن. لتلقيها مجددًا أرسل: اشتراك',
} as const;

/** Answers people who have opted out by a keyword, in the language of the keyword, from the address they wrote to. */
export class ConfirmOptOut {
  constructor(private readonly options: ConfirmOptOutOptions) {}

  /** Never rejects: the opt-out counts, whether its confirmation goes out or not. @param message the keyword */
  async confirm(message: MessageRow): Promise<void> {
    try {
      await this.#send(message);
    } catch (err) {
      this.options.log.warn({ err, message: message.id }, 'an opt-out could not be confirmed');
    }
  }

  async #send({ organization_id, project_id, channel, sender, recipient, body }: MessageRow): Promise<void> {
    const organization = await this.options.organization(organization_id);
    if (!organization || sender === null) return;
    // Nothing but advertising comes from a name for advertising.
    const from = channel !== 'sms' || fitsClass(recipient, 'service') ? recipient : null;
    const text = TEXTS[spokenLanguageOf(body ?? '')];
    await this.options.send.send(
      {
        ...{ channel, to: sender, from, content: { text, subject: null, extra: null }, class: 'service' },
        ...{ scheduledAt: null, validUntil: null, metadata: {} },
      },
      {
        ...{ organization, organizationId: organization_id, projectId: project_id, sandbox: false },
        ...{ keyId: null, requestId: newId(), agent: null },
      },
    );
  }
}
