import type { Api, Refused } from '../common/api.js';
import { Feed } from '../common/feed.js';
import { QueueRequests, type AgentQueues } from './queue-requests.js';

/** What the page does about what happens. */
export interface QueueEvents {
  /** @param before null for the first state */
  readonly changed: (now: AgentQueues, before: AgentQueues | null) => void;
  readonly online: (isOnline: boolean) => void;
  readonly refused: (refusal: Refused) => void;
}

/**
 * The agent's state in queues, as the platform reports it. Each report is the whole state, so the first one of a connection
 * is true. A page in the background follows nothing, because a browser has only a few connections for all its tabs.
 */
export class OwnQueues {
  readonly #requests: QueueRequests;
  #feed: Feed | null = null;
  #state: AgentQueues | null = null;
  #isOnline = false;

  constructor(
    private readonly api: Api,
    agent: string,
    private readonly events: QueueEvents,
  ) {
    this.#requests = new QueueRequests(api, agent);
    document.addEventListener('visibilitychange', this.#look);
    this.#look();
  }

  get state(): AgentQueues | null {
    return this.#state;
  }

  /** Requests all of this. The outcome is shown, also of what was refused. @returns the first refusal, or null */
  async request(work: (requests: QueueRequests) => readonly Promise<void>[]): Promise<unknown> {
    const outcomes = work(this.#requests).map((each) => each.catch((error: unknown) => error));
    const refusal = (await Promise.all(outcomes)).find((outcome) => outcome !== undefined) ?? null;
    // Otherwise the feed reports it.
    if (!this.#isOnline) await this.#read();
    return refusal;
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.#look);
    this.#leave();
  }

  readonly #look = (): void => {
    if (document.hidden) this.#leave();
    else if (this.#feed === null) this.#follow();
  };

  #follow(): void {
    this.#feed = new Feed({
      ...{ api: this.api, path: `${this.#requests.path}/stream` },
      onNews: (_, data) => this.#take(data as AgentQueues),
      onOnline: (isOnline) => {
        this.#isOnline = isOnline;
        this.events.online(isOnline);
      },
      onRefused: (refusal) => {
        this.stop();
        this.events.refused(refusal);
      },
    });
    void this.#feed.run();
  }

  #leave(): void {
    this.#feed?.stop();
    this.#feed = null;
    this.#isOnline = false;
  }

  async #read(): Promise<void> {
    const state = await this.#requests.read().catch(() => null);
    if (state !== null && !this.#isOnline) this.#take(state);
  }

  #take(state: AgentQueues): void {
    const before = this.#state;
    this.#state = state;
    this.events.changed(state, before);
  }
}
