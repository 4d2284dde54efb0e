import type { Redis } from 'ioredis';
import { z } from 'zod';
import { newId } from '../../core/model/ids.js';
import {
  CommandTimeout,
  engineCommand,
  type CommandBus,
  type CommandHandler,
  type CommandOutcome,
  type EngineCommand,
} from '../../core/ports/command-bus.js';
import type { Logger } from '../../core/ports/logger.js';

/** How long a caller waits for the reply of the owner process. */
const DEADLINE_MS = 5_000;

const request = z.object({
  id: z.string(),
  replyTo: z.string(),
  /** Unix time in milliseconds at which the caller gives up; an owner that was suspended must not act later. */
  expiresAt: z.number(),
  command: engineCommand,
});
const reply = z.object({ id: z.string(), outcome: z.unknown() });

/**
 * Sends commands over Redis publish/subscribe, so they are delivered at most once. Commands for an engine that this
 * process owns are handled locally, so a single process can command its calls while Redis is unreachable.
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

  /** @param subscriber a connection that is used for nothing else. {@link close} closes both connections. */
  static open(publisher: Redis, subscriber: Redis, log: Logger): RedisCommandBus {
    const bus = new RedisCommandBus(publisher, subscriber, log);
    // ioredis resubscribes after a reconnect, so an unreachable Redis is not an error.
    subscriber.subscribe(bus.#replies).catch((error: unknown) => log.warn({ err: error }, 'Redis is unreachable'));
    return bus;
  }

  async send(engineId: string, command: EngineCommand, deadlineMs = DEADLINE_MS): Promise<CommandOutcome> {
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
        settle(() => reject(new CommandTimeout(`the owner of engine ${engineId} did not reply`, true)));
      }, deadlineMs);
      this.#waiting.set(id, (outcome) => settle(() => resolve(outcome)));
      const message = JSON.stringify({ id, replyTo: this.#replies, expiresAt: Date.now() + deadlineMs, command });
      this.publisher.publish(channelOf(engineId), message).then(
        (receivers) => {
          if (receivers === 0) settle(() => reject(new CommandTimeout(`engine ${engineId} has no owner`, false)));
        },
        (error: unknown) => settle(() => reject(new CommandTimeout('Redis is unreachable', false, { cause: error }))),
      );
    });
  }

  async serve(engineId: string, handler: CommandHandler): Promise<() => Promise<void>> {
    this.#handlers.set(engineId, handler);
    const channel = channelOf(engineId);
    // Not awaited: while Redis is unreachable, ioredis queues the subscription, and local commands work already.
    this.subscriber.subscribe(channel).catch((error: unknown) => this.log.warn({ err: error }, 'Redis is unreachable'));
    return Promise.resolve(async () => {
      this.#handlers.delete(engineId);
      await this.subscriber.unsubscribe(channel).catch((error: unknown) => {
        this.log.warn({ err: error }, 'Redis is unreachable');
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
      // Trusted: replies only come from our own processes, on a channel with an unguessable name.
      this.#waiting.get(id)?.(outcome as CommandOutcome);
      return;
    }
    const handler = this.#handlers.get(channel.slice(CHANNEL_PREFIX.length));
    if (!handler) return;
    const parsed = request.safeParse(JSON.parse(text));
    if (!parsed.success) {
      this.log.warn({ channel }, 'ignored an invalid command');
      return;
    }
    const { id, replyTo, expiresAt, command } = parsed.data;
    if (Date.now() > expiresAt) return;
    handler(command)
      .then(async (outcome) => {
        if (outcome.result !== 'elsewhere') await this.publisher.publish(replyTo, JSON.stringify({ id, outcome }));
      })
      .catch((error: unknown) => this.log.error({ err: error, command: command.type }, 'a command failed'));
  }
}

const CHANNEL_PREFIX = 'hatif:engine:';

function channelOf(engineId: string): string {
  return `${CHANNEL_PREFIX}${engineId}`;
}
