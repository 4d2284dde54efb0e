import type { Phrase } from '../model/errors/index.js';
import type { SpokenLanguage } from '../model/spoken/index.js';

/** A one-time code on its way to a person. Never log it whole. */
export interface CodeMessage {
  /** New for each send; the same when a send is retried. */
  readonly id: string;
  readonly projectId: string;
  /** E.164, or an e-mail address. */
  readonly to: string;
  readonly code: string;
  readonly language: SpokenLanguage;
  /** Brand on whose behalf the code is sent; null leaves the brand out. */
  readonly brand: string | null;
  readonly lifetimeSeconds: number;
}

/** A channel that delivers written codes. */
export interface CodeChannel {
  /** Whether this project can send through this channel. */
  isConfigured(projectId: string): Promise<boolean>;
  /**
   * Resolves when the next hop has accepted the message, or when it waits for it.
   * @returns the id of a message whose outcome is known later; null if there is nothing more to know
   * @throws CodeSendError
   */
  send(message: CodeMessage): Promise<string | null>;
}

export type WrittenChannel = 'sms' | 'chatapp' | 'email';
export type CodeChannels = Readonly<Partial<Record<WrittenChannel, CodeChannel>>>;

/** The next hop did not accept a message. The API shows `reason` to the customer, so it contains no secret. */
export class CodeSendError extends Error {
  override readonly name = 'CodeSendError';
  constructor(
    readonly reason: Phrase,
    options?: ErrorOptions,
  ) {
    super(reason.en, options);
  }
}
