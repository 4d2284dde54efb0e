/** A message from the platform to one person. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same content as a document that loads nothing. */
  readonly html: string;
  /** Language of the text: Arabic is shown right to left. */
  readonly language: 'ar' | 'en';
  readonly attachments?: readonly {
    readonly name: string;
    readonly mediaType: string;
    readonly content: Uint8Array;
  }[];
}

export interface Mailer {
  /** Resolves when the mail server has accepted the message. @throws MailError */
  send(message: MailMessage): Promise<void>;
}

/** The message was not accepted. */
export class MailError extends Error {
  override readonly name = 'MailError';
  constructor(
    /**
     * `refused`: the server will never accept this recipient or message. `unavailable`: retry
     * later.
     */
    readonly kind: 'refused' | 'unavailable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
