import type { Redis } from 'ioredis';
import { z } from 'zod';
import { newId } from '../../core/model/ids.js';
import {
  callCommand,
  CommandTimeout,
  type CallCommand,
  type CommandBus,
  type CommandHandler,
  type CommandOutcome,
} from '../../core/ports/command-bus.js';
import type { Logger } from '../../core/ports/logger.js';

/** How long a caller waits for the owner's answer. */
const DEADLINE_MS = 5_000;

const request = z.object({
  id: z.string(),
  replyTo: z.string(),
  /** Milliseconds since the epoch after which nobody waits any more: an owner that was asleep must not act late. */
  expiresAt: z.number(),
  command: callCommand,
});
const reply = z.object({ id: z.string(), outcome: z.unknown() });

/**
 * Commands over Redis publish/subscribe: at most once by nature. An engine that this very process owns is served without leaving it,
 * so a single process commands its calls even while Redis is away.
 */
export class RedisCommandBus implements CommandBus {
  readonly #handlers = new Map<string, CommandHandler>();
  readonly #waiting = new Map<string, (outcome: CommandOutcome) => void>();
  readonly #replies = `hatif:replies:${newId()}`;

  private constructor(
    private readonly publisher: Redis,
    private readonly subscriber: Redis,
    private readonly log: Logger,
  ) {
    subscriber.on('message', (channel: string, text: string) => this.#onMessage(channel, text));
  }

  /** @param publisher and subscriber two connections; the second is used for nothing else. Both are closed by {@link close}. */
  static open(publisher: Redis, subscriber: Redis, log: Logger): RedisCommandBus {
    const bus = new RedisCommandBus(publisher, subscriber, log);
    // ioredis subscribes again by itself after a reconnect; a Redis that is away now is not a reason to fail.
    subscriber.subscribe(bus.#replies).catch((error: unknown) => log.warn({ err: error }, 'Redis is away'));
    return bus;
  }

  async send(engineId: string, command: CallCommand): Promise<CommandOutcome> {
    const local = this.#handlers.get(engineId);
    if (local) return local(command);
    const id = newId();
    return new Promise<CommandOutcome>((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        act();
      };
      const timer = setTimeout(() => {
        settle(() => reject(new CommandTimeout(`the owner of engine ${engineId} did not answer`, true)));
      }, DEADLINE_MS);
      this.#waiting.set(id, (outcome) => settle(() => resolve(outcome)));
      const message = JSON.stringify({ id, replyTo: this.#replies, expiresAt: Date.now() + DEADLINE_MS, command });
      this.publisher.publish(channelOf(engineId), message).then(
        (receivers) => {
          if (receivers === 0) settle(() => reject(new CommandTimeout(`engine ${engineId} has no owner`, false)));
        },
        (error: unknown) => settle(() => reject(new CommandTimeout('Redis is away', false, { cause: error }))),
      );
    });
  }

  async serve(engineId: string, handler: CommandHandler): Promise<() => Promise<void>> {
    this.#handlers.set(engineId, handler);
    const channel = channelOf(engineId);
    // Not awaited: while Redis is away the subscription waits in ioredis' queue, and local commands work already.
    this.subscriber.subscribe(channel).catch((error: unknown) => this.log.warn({ err: error }, 'Redis is away'));
    return Promise.resolve(async () => {
      this.#handlers.delete(engineId);
      await this.subscriber.unsubscribe(channel).catch((error: unknown) => {
        this.log.warn({ err: error }, 'Redis is away');
      });
    });
  }

  async close(): Promise<void> {
    this.publisher.disconnect();
    this.subscriber.disconnect();
    return Promise.resolve();
  }

  #onMessage(channel: string, text: string): void {
    if (channel === this.#replies) {
      const { id, outcome } = reply.parse(JSON.parse(text));
      // Replies come from our own kind only, on a channel whose name nobody can guess.
      this.#waiting.get(id)?.(outcome as CommandOutcome);
      return;
    }
    const handler = this.#handlers.get(channel.slice(CHANNEL_PREFIX.length));
    if (!handler) return;
    const parsed = request.safeParse(JSON.parse(text));
    if (!parsed.success) {
      this.log.warn({ channel }, 'a command that is none was ignored');
      return;
    }
    const { id, replyTo, expiresAt, command } = parsed.data;
    if (Date.now() > expiresAt) return;
    handler(command)
      .then((outcome) => this.publisher.publish(replyTo, JSON.stringify({ id, outcome })))
      .catch((error: unknown) => this.log.error({ err: error, command: command.type }, 'a command failed'));
  }
}

const CHANNEL_PREFIX = 'hatif:engine:';

function channelOf(engineId: string): string {
  return `${CHANNEL_PREFIX}${engineId}`;
}
