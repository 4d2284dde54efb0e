import { GrowingPause } from '../../shared/growing-pause.js';
import { Refused, type Api } from './api.js';

export interface FeedOptions {
  readonly api: Api;
  /** Of the stream, below `/v1`. It sends something at the beginning of each connection. */
  readonly path: string;
  /** What the platform reports while it happens. */
  readonly onNews: (event: string, data: object) => void;
  /** True before the first news of each connection. */
  readonly onOnline: (isOnline: boolean) => void;
  /** The platform refuses: there is no such stream for this person, or the session is over. */
  readonly onRefused: (refusal: Refused) => void;
}

const LONGEST_PAUSE_MS = 15_000;
/** The platform sends something every 15 s. */
const SILENT_MS = 40_000;

/** A stream of server-sent events. It comes back by itself. */
export class Feed {
  #attempt = new AbortController();
  #isStopped = false;
  readonly #pause = new GrowingPause(LONGEST_PAUSE_MS);

  constructor(private readonly options: FeedOptions) {}

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
    const { api, path, onOnline } = this.options;
    const answer = await api.fetch('GET', path, { signal: attempt.signal });
    const reader = answer.body?.getReader();
    const decoder = new TextDecoder();
    let [text, isOnline] = ['', false];
    for (;;) {
      const silent = setTimeout(() => attempt.abort(), SILENT_MS);
      const part = await reader?.read().finally(() => clearTimeout(silent));
      if (part?.value === undefined) return;
      const messages = (text + decoder.decode(part.value, { stream: true })).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const [event, data] = [/^event: (.*)$/m, /^data: (.*)$/m].map((line) => line.exec(message)?.[1]);
        // Others are comments, which keep the connection alive.
        if (event === undefined || data === undefined || this.#isOver()) continue;
        if (!isOnline) {
          isOnline = true;
          this.#pause.reset();
          onOnline(true);
        }
        this.options.onNews(event, JSON.parse(data) as object);
      }
    }
  }
}

function isFinal({ code, isPassing }: Refused): boolean {
  return code?.endsWith('_DISABLED') === true || (!isPassing && code !== 'EXPIRED_ACCESS_TOKEN');
}
