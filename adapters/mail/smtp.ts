import { createTransport, type Transporter } from 'nodemailer';
import { MailError, type Mailer, type MailMessage } from '../../core/ports/mail.js';

export interface SmtpOptions {
  /** `smtp://user:password@host:port` (STARTTLS where the server has it) or `smtps://…`. */
  readonly url: string;
  /** An address, or `Name <address>`. */
  readonly from: string;
}

/** A server that does not answer must not hold up who waits for the answer of the API. */
const PATIENCE_MS = 10_000;

/** Sends by a mail server (RFC 5321), a connection a message. */
export class SmtpMailer implements Mailer {
  readonly #transport: Transporter;

  constructor(private readonly options: SmtpOptions) {
    const timeouts = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS };
    // Contents come from here only: neither files nor addresses are read for a message.
    const sealed = { disableFileAccess: true, disableUrlAccess: true };
    this.#transport = createTransport({ url: options.url, ...timeouts, ...sealed });
  }

  async send({ to, subject, text, language, attachments = [] }: MailMessage): Promise<void> {
    try {
      await this.#transport.sendMail({
        from: this.options.from,
        // As an object, so that a comma in it makes no second recipient.
        to: { name: '', address: to },
        subject,
        text,
        headers: { 'Content-Language': language, 'Auto-Submitted': 'auto-generated' },
        attachments: attachments.map(({ name, mediaType, content }) => ({
          filename: name,
          contentType: mediaType,
          content: Buffer.from(content),
        })),
      });
    } catch (error) {
      throw new MailError(isFinal(error) ? 'refused' : 'unavailable', 'the mail server did not take the message', {
        cause: error,
      });
    }
  }
}

/** Replies of 5yz are final (RFC 5321 §4.2.1), and so is an address that no server can be asked about. That the server does not know us is ours to mend. */
function isFinal(error: unknown): boolean {
  const { responseCode, code } = error as { readonly responseCode?: unknown; readonly code?: unknown };
  if (typeof responseCode === 'number') return responseCode >= 500 && code !== 'EAUTH';
  return code === 'EENVELOPE';
}
