import { GrowingPause } from '../shared/growing-pause.js';
import { Refused, type Api } from './api.js';

/** What the platform reports while it happens. */
export interface ChatNews {
  readonly event: string;
  readonly thread_id?: string;
  readonly state?: 'online' | 'away' | 'gone';
  readonly step?: 'proposed' | 'accepted' | 'declined';
}

export interface ChatFeedOptions {
  readonly api: Api;
  /** `ready` comes first after each connection. */
  readonly onNews: (news: ChatNews) => void;
  readonly onOnline: (isOnline: boolean) => void;
  /** The platform refuses: there are no chats, or the session is over. */
  readonly onRefused: (refusal: Refused) => void;
}

const LONGEST_PAUSE_MS = 15_000;
/** The platform sends something every 15 s. */
const SILENT_MS = 40_000;

/** The stream of chats. It comes back by itself. */
export class ChatFeed {
  #attempt = new AbortController();
  #isStopped = false;
  readonly #pause = new GrowingPause(LONGEST_PAUSE_MS);

  constructor(private readonly options: ChatFeedOptions) {}

  async run(): Promise<void> {
    while (!this.#isOver()) {
      try {
        await this.#follow();
      } catch (error) {
        if (error instanceof Refused && isFinal(error)) {
          if (!this.#isOver()) this.options.onRefused(error);
          return;
        }
        if (!this.#isOver()) this.options.onOnline(false);
      }
      await new Promise((resolve) => setTimeout(resolve, this.#pause.next()));
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#attempt.abort();
  }

  #isOver(): boolean {
    return this.#isStopped;
  }

  async #follow(): Promise<void> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    const answer = await this.options.api.fetch('GET', '/messages/threads/stream', { signal: attempt.signal });
    const reader = answer.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const silent = setTimeout(() => attempt.abort(), SILENT_MS);
      const part = await reader?.read().finally(() => clearTimeout(silent));
      if (part?.value === undefined) return;
      const messages = (text + decoder.decode(part.value, { stream: true })).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) this.#take(message);
    }
  }

  #take(message: string): void {
    const [event, data] = [/^event: (.*)$/m, /^data: (.*)$/m].map((line) => line.exec(message)?.[1]);
    if (event === undefined || data === undefined) return;
    if (event === 'ready') {
      this.#pause.reset();
      this.options.onOnline(true);
    }
    this.options.onNews({ ...(JSON.parse(data) as object), event });
  }
}

function isFinal({ code, isPassing }: Refused): boolean {
  return code === 'MESSAGES_DISABLED' || (!isPassing && code !== 'EXPIRED_ACCESS_TOKEN');
}
