/** A message in plain text, by the platform to one person. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Of the text: Arabic is shown from right to left. */
  readonly language: 'ar' | 'en';
  readonly attachments?: readonly {
    readonly name: string;
    readonly mediaType: string;
    readonly content: Uint8Array;
  }[];
}

export interface Mailer {
  /** Resolves when the mail server has taken the message. @throws MailError */
  send(message: MailMessage): Promise<void>;
}

/** The message was not taken. */
export class MailError extends Error {
  override readonly name = 'MailError';
  constructor(
    /** `refused`: this recipient or message never will be. `unavailable`: the server cannot be had now. */
    readonly kind: 'refused' | 'unavailable',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
