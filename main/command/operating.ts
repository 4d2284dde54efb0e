import type { Redis } from 'ioredis';
import { RedisCommandBus } from '../../adapters/commands/redis-bus.js';
import type { Clock } from '../../core/ports/clock.js';
import {
  CommandTimeout,
  type CallCommand,
  type CommandBus,
  type CommandOutcome,
} from '../../core/ports/command-bus.js';
import type { Logger } from '../../core/ports/logger.js';
import { QueueAgentEvents } from '../../core/services/queues/agent-events.js';
import { QueueCoordinator } from '../../core/services/queues/coordinator.js';
import { DeliveryLog } from '../../core/services/webhooks/delivery-log.js';
import type { Management } from '../wiring/management.js';
import { openOperating, type Operating } from '../wiring/operator/operating.js';
import { QUEUE_CHANNEL } from '../wiring/queues.js';
import type { Stores } from '../wiring/stores.js';

interface CommandOperatingOptions {
  readonly stores: Stores;
  /** Null if no platform runs. */
  readonly redis: Redis | null;
  readonly management: Management;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Services of commands that look at the running platform, or command it. */
export interface CommandOperating {
  readonly services: Operating;
  close(): void;
}

export function openCommandOperating(options: CommandOperatingOptions): CommandOperating {
  const { stores, redis, management, clock } = options;
  const bus = new OneShotBus(redis, options.log);
  const services = openOperating({
    ...{ stores, redis, management, bus, clock },
    coordinator: openCoordinator(options),
    // The sweep finds what is due; a replay, which needs the jobs, is not offered.
    deliveries: new DeliveryLog({
      ...{ db: stores.db, clock },
      jobs: { available: () => Promise.resolve(false) },
      wake: () => undefined,
    }),
  });
  return { services, close: () => bus.close() };
}

/** Sends commands to the owners of engines; connects with the first one. */
class OneShotBus implements Pick<CommandBus, 'send'> {
  readonly #connections: Redis[] = [];

  constructor(
    private readonly redis: Redis | null,
    private readonly log: Logger,
  ) {}

  async send(engineId: string, command: CallCommand): Promise<CommandOutcome> {
    if (this.redis === null) throw new CommandTimeout('the platform is not running', false);
    const connections = [this.redis.duplicate(), this.redis.duplicate()] as const;
    this.#connections.push(...connections);
    for (const connection of connections) connection.on('error', () => undefined);
    try {
      // Both are connected first: a reply that comes before the subscription is lost.
      await Promise.all(connections.map((connection) => connection.connect()));
    } catch (error) {
      throw new CommandTimeout('Redis is unreachable', false, { cause: error });
    }
    return RedisCommandBus.open(...connections, this.log).send(engineId, command);
  }

  close(): void {
    for (const connection of this.#connections) connection.disconnect();
  }
}

/** A coordinator without timers: it decides only about what a command reports. */
export function openCoordinator({
  stores,
  redis,
  clock,
  log: logger,
}: Omit<CommandOperatingOptions, 'management'>): QueueCoordinator {
  const { directory, queueLog: log } = stores;
  return new QueueCoordinator({
    log,
    agentEvents: new QueueAgentEvents({
      queue: (queueId) => directory.queue(queueId),
      project: (projectId) => directory.project(projectId),
      clock,
    }),
    clock,
    logger,
    wake: (projectId) => void redis?.publish(QUEUE_CHANNEL, projectId).catch(() => undefined),
    // The sweep finds the deliveries.
    onLanes: () => undefined,
  });
}
