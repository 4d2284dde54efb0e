import { expect } from 'chai';
import type { AgentQueuesObject } from '../../../../core/services/queues/agent-queues.js';
import { messagesOf } from '../../event-stream.js';
import { eventually } from '../../eventually.js';

/** Who follows the queues of an agent, with a key or an access token. */
export class QueueFollower {
  /** What came, the oldest first. */
  readonly states: AgentQueuesObject[] = [];
  isOver = false;
  readonly #end = new AbortController();

  /** Resolves when the first state is there. */
  static async follow(url: string, agent: string, key: string): Promise<QueueFollower> {
    const follower = new QueueFollower();
    const { signal } = follower.#end;
    const response = await fetch(`${url}/v1/agents/${agent}/queues/stream`, {
      headers: { authorization: `Bearer ${key}` },
      signal,
    });
    expect(response.status).to.equal(200);
    void follower.#read(response).finally(() => (follower.isOver = true));
    await follower.until(() => true, 'a first state');
    return follower;
  }

  get now(): AgentQueuesObject {
    return this.states.at(-1)!;
  }

  /** In words: `sales logged_in 0`, with the number of waiting callers. */
  get queues(): string[] {
    return this.now.queues.map(({ queue, status, waiting }) => [queue, status, waiting].join(' ').trim());
  }

  /** Resolves when the newest state is like this. */
  async until(is: (now: AgentQueuesObject) => boolean, what: string): Promise<void> {
    await eventually(
      () => this.states.length > 0 && is(this.now),
      () => `${what} instead of ${JSON.stringify(this.states.at(-1))}`,
    );
  }

  /** Resolves when a queue is shown like this, see {@link queues}. */
  async untilShown(queue: string): Promise<void> {
    await this.until(() => this.queues.includes(queue), queue);
  }

  async untilOver(): Promise<void> {
    await eventually(() => this.isOver, 'the stream ends');
  }

  leave(): void {
    this.#end.abort();
  }

  async #read(response: Response): Promise<void> {
    for await (const { event, data } of messagesOf(response)) {
      expect(event).to.equal('queues');
      this.states.push(data as AgentQueuesObject);
    }
  }
}
