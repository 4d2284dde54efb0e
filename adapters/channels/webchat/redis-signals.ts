import type { Redis } from 'ioredis';
import { newId } from '../../../core/model/ids.js';
import type { Logger } from '../../../core/ports/logger.js';
import type { ChatSignal, ChatSignals } from '../../../core/ports/messaging/chat-signals.js';

const CHANNEL = 'hatif:chats';

/** {@link ChatSignals} over Redis. Within this process they need no Redis. */
export class RedisChatSignals implements ChatSignals {
  readonly #listeners = new Set<(signal: ChatSignal) => void>();
  readonly #own = newId();
  #isSubscribed = false;

  constructor(
    private readonly redis: Pick<Redis, 'publish'>,
    private readonly subscriber: Pick<Redis, 'subscribe' | 'on'>,
    private readonly log: Logger,
  ) {}

  send(signal: ChatSignal): void {
    this.#tell(signal);
    // A visitor's socket looks for messages every few seconds, too.
    void this.redis.publish(CHANNEL, JSON.stringify({ from: this.#own, signal })).catch(() => undefined);
  }

  follow(listener: (signal: ChatSignal) => void): () => void {
    this.#subscribe();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #subscribe(): void {
    if (this.#isSubscribed) return;
    this.#isSubscribed = true;
    this.subscriber.on('message', (channel: string, text: string) => {
      if (channel !== CHANNEL) return;
      const { from, signal } = JSON.parse(text) as { from: string; signal: ChatSignal };
      if (from !== this.#own) this.#tell(signal);
    });
    // ioredis subscribes again after it reconnects.
    this.subscriber.subscribe(CHANNEL).catch((err: unknown) => this.log.warn({ err }, 'Redis is unreachable'));
  }

  #tell(signal: ChatSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }
}
