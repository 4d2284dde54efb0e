import type { Api, Settings } from './api.js';
import type { Proofs } from './proofs.js';
import type { Language } from '../shared/texts.js';

/** What the chat has of the widget. */
export interface ChatParts {
  readonly api: Api;
  readonly settings: Settings;
  readonly proofs: Proofs;
  readonly language: Language;
  readonly position: string;
  /** The visitor wants to talk. @param chat its token; null before the first message @param isNow by the browser, if it can */
  readonly onCall: (chat: string | null, isNow: boolean) => void;
}

/** The module of the chat, which pages without one do not load. */
export interface ChatModule {
  /** Adds the chat to the widget, with its button beside that of calls. */
  addChat(root: ShadowRoot, parts: ChatParts): void;
}

export function loadChat(base: string): Promise<ChatModule> {
  return import(/* @vite-ignore */ `${base}/widget/chat/v1.js`) as Promise<ChatModule>;
}
