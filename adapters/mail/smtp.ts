import { createTransport, type Transporter } from 'nodemailer';
import { MailError, type Mailer, type MailMessage } from '../../core/ports/mail.js';

export interface SmtpOptions {
  /** `smtp://user:password@host:port` (with STARTTLS if the server offers it) or `smtps://…`. */
  readonly url: string;
  /** An address, or `Name <address>`. */
  readonly from: string;
}

/** Limits how long an unresponsive mail server delays an API response. */
const TIMEOUT_MS = 10_000;

/** Sends mail through a mail server (RFC 5321), with one connection per message. */
export class SmtpMailer implements Mailer {
  readonly #transport: Transporter;

  constructor(private readonly options: SmtpOptions) {
    const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    // Message content never comes from files or URLs.
    const sealed = { disableFileAccess: true, disableUrlAccess: true };
    this.#transport = createTransport({ url: options.url, ...timeouts, ...sealed });
  }

  async send({ to, subject, text, html, language, attachments = [] }: MailMessage): Promise<void> {
    try {
      await this.#transport.sendMail({
        from: this.options.from,
        // An object, so that a comma in the address does not add a recipient.
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers: { 'Content-Language': language, 'Auto-Submitted': 'auto-generated' },
        attachments: attachments.map(({ name, mediaType, content }) => ({
          filename: name,
          contentType: mediaType,
          content: Buffer.from(content),
        })),
      });
    } catch (error) {
      throw new MailError(isFinal(error) ? 'refused' : 'unavailable', 'the mail server did not accept the message', {
        cause: error,
      });
    }
  }
}

/**
 * 5yz replies are final (RFC 5321 §4.2.1), and so is an address for which there is no server. A failed login is our
 * misconfiguration and not final.
 */
function isFinal(error: unknown): boolean {
  const { responseCode, code } = error as { readonly responseCode?: unknown; readonly code?: unknown };
  if (typeof responseCode === 'number') return responseCode >= 500 && code !== 'EAUTH';
  return code === 'EENVELOPE';
}
