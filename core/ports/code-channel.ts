import type { SpokenLanguage } from '../model/spoken/index.js';

/** A one-time code on its way to a person. Never logged as a whole. */
export interface CodeMessage {
  /** New for each sending, the same when one is repeated. */
  readonly id: string;
  readonly projectId: string;
  /** E.164, or an e-mail address. */
  readonly to: string;
  readonly code: string;
  readonly language: SpokenLanguage;
  /** On whose behalf; null says nothing of it. */
  readonly brand: string | null;
  readonly lifetimeSeconds: number;
}

/** A way by which written codes reach people. */
export interface CodeChannel {
  /** Whether this project can send by it. */
  isConfigured(projectId: string): Promise<boolean>;
  /** Resolves when the next one on the way has taken it. @throws CodeSendError */
  send(message: CodeMessage): Promise<void>;
}

export type WrittenChannel = 'sms' | 'chatapp' | 'email';
export type CodeChannels = Readonly<Partial<Record<WrittenChannel, CodeChannel>>>;

export class CodeSendError extends Error {
  override readonly name = 'CodeSendError';
}
