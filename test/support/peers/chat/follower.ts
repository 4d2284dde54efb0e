import { expect } from 'chai';
import { messagesOf } from '../../event-stream.js';
import { eventually } from '../../eventually.js';

/** Who follows chats, with a key or an access token. */
export class ChatFollower {
  /** What came, as `event thread_id detail`. */
  readonly news: string[] = [];
  isOver = false;
  readonly #end = new AbortController();

  /** Resolves when nothing is missed any more. */
  static async follow(url: string, key: string): Promise<ChatFollower> {
    const follower = new ChatFollower();
    const { signal } = follower.#end;
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${url}/v1/messages/threads/stream`, { headers, signal });
    expect(response.status).to.equal(200);
    void follower.#read(response).finally(() => (follower.isOver = true));
    await follower.until('ready');
    return follower;
  }

  /** Resolves when something came that begins so. */
  until(begin: string): Promise<string> {
    return eventually(
      () => this.news.find((one) => one.startsWith(begin)),
      () => `"${begin}" among ${JSON.stringify(this.news)}`,
    );
  }

  untilOver(): Promise<true> {
    return eventually(() => this.isOver, 'the stream ends');
  }

  leave(): void {
    this.#end.abort();
  }

  async #read(response: Response): Promise<void> {
    for await (const { event, data } of messagesOf(response)) {
      const { thread_id, state, step } = data as Record<string, string>;
      this.news.push([event, thread_id, state ?? step].filter((part) => part !== undefined).join(' '));
    }
  }
}
