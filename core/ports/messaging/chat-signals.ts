import type { CallStep, VisitorState } from '../../model/messaging/webchat.js';

/** What happened in a chat. It is a hint to look: what counts is stored. */
export type ChatSignal =
  /** There are messages to read. */
  | { readonly kind: 'messages'; readonly chatId: string }
  /** Its status, or who has it, has changed. */
  | { readonly kind: 'changed'; readonly chatId: string }
  /** The visitor has messages, or has read them. */
  | { readonly kind: 'receipts'; readonly chatId: string }
  | { readonly kind: 'typing'; readonly chatId: string; readonly by: 'agent' | 'visitor' }
  /** An agent would like to talk with the visitor, or the visitor answers that. `agent`: who, if a member asks. */
  | { readonly kind: 'call'; readonly chatId: string; readonly step: CallStep; readonly agent: string | null }
  /** Where visitors are, as far as the process `at` knows; it repeats this for those who are there. */
  | { readonly kind: 'presence'; readonly at: string; readonly visitors: readonly VisitorPlace[] }
  /** Every process is to send where its visitors are. */
  | { readonly kind: 'roll_call' };

export interface VisitorPlace {
  readonly chatId: string;
  readonly state: VisitorState;
}

/** Reports to all processes what happens in chats, at most once and without an order. */
export interface ChatSignals {
  send(signal: ChatSignal): void;
  /** @param listener must not throw @returns ends it */
  follow(listener: (signal: ChatSignal) => void): () => void;
}
