/** What happened in a chat. It is a hint to look: what counts is stored. */
export type ChatSignal =
  /** There are messages to read. */
  | { readonly kind: 'messages'; readonly chatId: string }
  /** Its status, or who has it, has changed. */
  | { readonly kind: 'changed'; readonly chatId: string }
  | { readonly kind: 'typing'; readonly chatId: string; readonly by: 'agent' | 'visitor' }
  /** The visitor came, or left. */
  | { readonly kind: 'presence'; readonly chatId: string };

/** Tells all processes what happens in chats, at most once and without an order. */
export interface ChatSignals {
  send(signal: ChatSignal): void;
  /** @param listener must not throw @returns ends it */
  follow(listener: (signal: ChatSignal) => void): () => void;
}
