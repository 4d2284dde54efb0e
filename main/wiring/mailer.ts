import { SmtpMailer } from '../../adapters/mail/smtp.js';
import type { Settings } from '../../config/settings.js';
import type { Mailer } from '../../core/ports/mail.js';

/** Null if no mail server is set. */
export function openMailer({ SMTP_URL: url, MAIL_FROM: from }: Settings): Mailer | null {
  return url === undefined || from === undefined ? null : new SmtpMailer({ url, from });
}
