import type { ChatSignal, ChatSignals } from '../../../../core/ports/messaging/chat-signals.js';

/** Signals within one process. */
export class LocalChatSignals implements ChatSignals {
  readonly #listeners = new Set<(signal: ChatSignal) => void>();

  send(signal: ChatSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  follow(listener: (signal: ChatSignal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
