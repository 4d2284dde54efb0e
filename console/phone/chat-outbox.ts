import { GrowingPause } from '../shared/growing-pause.js';
import { newId } from '../shared/ids.js';
import { Refused } from './common/api.js';
import type { ChatMemory, Unsent } from './chat-memory.js';
import type { ChatMessage, ChatRequests } from './chat-requests.js';

export interface ChatOutboxOptions {
  readonly requests: Pick<ChatRequests, 'send'>;
  readonly memory: ChatMemory;
  /** What waits has changed. @param sent is a message now */
  readonly onChanged: (threadId: string, sent: ChatMessage | null) => void;
  /** The platform does not take it, now or later. */
  readonly onFailed: (unsent: Unsent, error: unknown) => void;
}

const LONGEST_PAUSE_MS = 15_000;

/** Sends what the agent writes, in its order: each message until the platform has it, also after the page is loaded again. */
export class ChatOutbox {
  #isSending = false;
  #isStopped = false;

  constructor(private readonly options: ChatOutboxOptions) {}

  /** What waits for this visitor. */
  of(threadId: string): readonly Unsent[] {
    return this.options.memory.unsent.filter((one) => one.threadId === threadId);
  }

  add(message: Omit<Unsent, 'key'>): void {
    const { memory, onChanged } = this.options;
    memory.keepUnsent([...memory.unsent, { ...message, key: newId() }]);
    onChanged(message.threadId, null);
    void this.flush();
  }

  async flush(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    const pause = new GrowingPause(LONGEST_PAUSE_MS);
    for (let [first] = this.options.memory.unsent; first && !this.#isStopped; [first] = this.options.memory.unsent) {
      if (await this.#send(first)) {
        pause.reset();
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, pause.next()));
    }
    this.#isSending = false;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** @returns false if it is to be tried again */
  async #send(message: Unsent): Promise<boolean> {
    const { requests, memory, onChanged, onFailed } = this.options;
    const { visitor, text, key, threadId } = message;
    let sent: ChatMessage;
    try {
      sent = await requests.send(visitor, { text }, key);
    } catch (error) {
      // Who signs in again in this tab still sends it.
      if (error instanceof Refused && (error.isPassing || error.status === 401)) return false;
      memory.keepUnsent(memory.unsent.filter((one) => one.key !== key));
      onFailed(message, error);
      return true;
    }
    memory.keepUnsent(memory.unsent.filter((one) => one.key !== key));
    onChanged(threadId, sent);
    return true;
  }
}
