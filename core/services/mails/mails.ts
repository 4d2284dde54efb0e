import type { DueAccountMail, DueMail, DueOwnerMail, Mailbox } from '../../data/repositories/mails/mailbox.js';
import type { Cipher, Sealed } from '../../model/access/cipher.js';
import { composeMail, type ComposedMail } from '../../model/mails/compose.js';
import type { Letter } from '../../model/mails/letter.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { MailError, type Mailer, type MailMessage } from '../../ports/mail.js';
import { sendDueMails, type MailQueue } from '../runtime/mail-queue.js';
import type { IsStopping, PeriodicTask } from '../runtime/periodic-task.js';
import { ACCOUNT_LETTERS } from './account-letters.js';
import type { Letters } from './letters.js';
import { OWNER_LETTERS } from './owner-letters.js';

export interface MailsOptions {
  readonly mailbox: Mailbox;
  /** Null if no mail server is configured: mails wait until one is, for two days. */
  readonly mailer: Mailer | null;
  /** Opens the links of the mails. */
  readonly cipher: Pick<Cipher, 'open'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const INTERVAL_MS = 2_000;

/**
 * Mails owners what happened in their organizations, and people what concerns their accounts. The mails are written in
 * the transaction of what they report.
 */
export class Mails implements PeriodicTask {
  readonly name = 'account mails';
  readonly everyMs = INTERVAL_MS;

  constructor(private readonly options: MailsOptions) {}

  /** Runs until nothing is due. @throws DatabaseUnavailable */
  async run(isStopping: IsStopping = () => false): Promise<void> {
    const { mailer, mailbox, clock, log } = this.options;
    await mailbox.removeOld(clock.now());
    if (!mailer) return;
    const queue: MailQueue<DueMail> = {
      take: (limit, retrySeconds) => mailbox.take(limit, retrySeconds, clock.now()),
      done: (id) => mailbox.done(id),
      compose: (mail) => new Promise((resolve) => resolve(this.#compose(mail))),
    };
    await sendDueMails(queue, { mailer, log, what: this.name }, isStopping);
  }

  #compose(mail: DueMail): MailMessage | null {
    if (mail.recipient !== null) return { to: mail.recipient, ...composeAccountMail(mail, (link) => this.#open(link)) };
    return mail.contact_email === null ? null : { to: mail.contact_email, ...composeOwnerMail(mail) };
  }

  /** @throws MailError if the link was sealed with another secret of the installation: it leads nowhere. */
  #open(link: Sealed): string {
    try {
      return this.options.cipher.open(link);
    } catch (error) {
      throw new MailError('refused', 'the link of the mail cannot be opened', { cause: error });
    }
  }
}

/** In the language of the recipient, then in the other. */
export function composeAccountMail(
  mail: Pick<DueAccountMail, 'kind' | 'data' | 'locale'>,
  open: (link: Sealed) => string,
): ComposedMail {
  const data = 'link' in mail.data ? { ...mail.data, link: open(mail.data.link) } : mail.data;
  // The row's kind and data belong together, which the compiler cannot follow.
  const write = ACCOUNT_LETTERS[mail.kind] as (data: object) => Letters;
  return inOrder(write(data), mail.locale);
}

/** In both languages, Arabic first, as everywhere in the product: the owner's language is unknown. */
export function composeOwnerMail({
  kind,
  data,
  project,
}: Pick<DueOwnerMail, 'kind' | 'data' | 'project'>): ComposedMail {
  const write = OWNER_LETTERS[kind] as (project: string, data: object) => Letters;
  return inOrder(write(project, data), 'ar');
}

function inOrder({ ar, en }: Letters, first: 'ar' | 'en'): ComposedMail {
  const letters: readonly [Letter, Letter] = [
    { language: 'ar', ...ar },
    { language: 'en', ...en },
  ];
  return first === 'ar' ? composeMail(...letters) : composeMail(letters[1], letters[0]);
}
