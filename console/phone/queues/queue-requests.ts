import type { Api } from '../common/api.js';

/** A queue of the project, and the agent’s status in it. */
export interface Queue {
  readonly queue_id: string;
  readonly queue: string;
  readonly dial_code: string | null;
  readonly status: 'logged_in' | 'logged_out' | 'paused';
  /** Null if the agent has never signed in to it. */
  readonly since: string | null;
  /** Null if the agent has never signed in to it, and in the sandbox. */
  readonly waiting: number | null;
}

/** The agent's state, and all queues of the project by name. */
export interface AgentQueues {
  readonly state: 'idle' | 'ringing' | 'busy' | 'wrap_up' | 'unavailable' | null;
  readonly pause: { readonly reason: string | null; readonly since: string } | null;
  readonly wrap_up_until: string | null;
  readonly queues: readonly Queue[];
  /** By the platform's clock, as all times here. */
  readonly at: string;
}

/** What the page requests from the API about the agent's queues. Everything throws Refused. */
export class QueueRequests {
  constructor(
    private readonly api: Api,
    private readonly agent: string,
  ) {}

  /** Where the state is read and followed, below `/v1`. */
  get path(): string {
    return `/agents/${encodeURIComponent(this.agent)}/queues`;
  }

  read(): Promise<AgentQueues> {
    return this.api.ask('GET', this.path);
  }

  /** @param queue its name, which a refusal shows */
  async signIn(queue: string): Promise<void> {
    await this.#post('login', { queue });
  }

  /** As {@link signIn}. */
  async signOut(queue: string): Promise<void> {
    await this.#post('logout', { queue });
  }

  async pause(reason: string | null): Promise<void> {
    await this.#post('pause', { reason });
  }

  async unpause(): Promise<void> {
    await this.#post('unpause', {});
  }

  #post(action: string, json: object): Promise<unknown> {
    return this.api.ask('POST', `/queues/agents/${action}`, { agent: this.agent, ...json });
  }
}

export function isSignedIn({ status }: Queue): boolean {
  return status !== 'logged_out';
}

/** Whether the agent is or was signed in to it. */
export function isOwn({ since }: Queue): boolean {
  return since !== null;
}
