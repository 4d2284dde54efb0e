import type { Redis } from 'ioredis';
import { RedisCommandBus } from '../../adapters/commands/redis-bus.js';
import { timelineOf } from '../../core/data/repositories/calls/timeline.js';
import { Uses } from '../../core/data/repositories/maintenance/uses.js';
import { OverviewRows } from '../../core/data/repositories/engines/overview-rows.js';
import { webhookBacklog } from '../../core/data/repositories/webhooks/webhook-backlog.js';
import type { Clock } from '../../core/ports/clock.js';
import {
  CommandTimeout,
  type CallCommand,
  type CommandBus,
  type CommandOutcome,
} from '../../core/ports/command-bus.js';
import { queues as jobQueues } from '../../core/ports/jobs.js';
import type { Logger } from '../../core/ports/logger.js';
import { ControlCall } from '../../core/services/calls/control.js';
import { OperateCalls } from '../../core/services/calls/operate.js';
import { ReadCalls } from '../../core/services/calls/read.js';
import { ReadStatus, type PartState } from '../../core/services/overview/status.js';
import { QueueAgentEvents } from '../../core/services/queues/agent-events.js';
import { QueueCoordinator } from '../../core/services/queues/coordinator.js';
import { findQueue } from '../../core/services/queues/manage.js';
import { ReadQueues } from '../../core/services/queues/read.js';
import { Removal } from '../../core/services/removal/removal.js';
import { DeliveryLog } from '../../core/services/webhooks/delivery-log.js';
import { OperateWebhooks } from '../../core/services/webhooks/operate.js';
import type { Platform } from '../../cli/common/context.js';
import type { Management } from '../wiring/management.js';
import { QUEUE_CHANNEL } from '../wiring/queues.js';
import type { Stores } from '../wiring/stores.js';

export interface OperatingOptions {
  readonly stores: Stores;
  /** Null if no platform runs. */
  readonly redis: Redis | null;
  readonly management: Management;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Services of commands that look at the running platform, or command it. */
export interface Operating {
  readonly services: Pick<Platform, 'status' | 'calls' | 'queues' | 'webhooks' | 'removal'>;
  close(): void;
}

export function openOperating(options: OperatingOptions): Operating {
  const { stores, redis, management, clock } = options;
  const { refusedCalls, trunks } = management;
  const bus = new OneShotBus(redis, options.log);
  const coordinator = openCoordinator(options);
  const { queues } = stores;
  const reading = new ReadQueues({
    coordinator,
    queues: {
      list: (projectId) => queues.list(projectId),
      get: (projectId, id) => findQueue(queues, projectId, id),
    },
    visits: stores.queueVisits,
    clock,
  });
  const services = {
    status: new ReadStatus({
      ...{ ...stores, refusedCalls, trunks, clock },
      rows: new OverviewRows(stores.db),
      coordinator,
      backlog: () => webhookBacklog(stores.db),
      checks: {
        redis: async () => (redis === null ? 'down' : (await redis.ping(), 'up')),
        jobs: () => jobsState(redis),
      },
    }),
    calls: new OperateCalls({
      db: stores.db,
      read: new ReadCalls(stores.calls, (callId) => timelineOf(stores.db, callId)),
      control: new ControlCall({ calls: stores.calls, audio: PLAYS_NOTHING, bus }),
      clock,
    }),
    queues: reading,
    webhooks: new OperateWebhooks({
      db: stores.db,
      // The sweep finds what is due; a replay, which needs the jobs, is not offered.
      deliveries: new DeliveryLog({
        ...{ db: stores.db, clock },
        jobs: { available: () => Promise.resolve(false) },
        wake: () => undefined,
      }),
      clock,
    }),
    removal: new Removal({
      uses: new Uses(stores.db),
      agents: management.agents,
      numbers: management.numbers,
      manageNumbers: management.numbering.manage,
      ...{ trunks, coordinator, queues: reading },
    }),
  };
  return { services, close: () => bus.close() };
}

const PLAYS_NOTHING = { prepare: () => Promise.reject(new Error('a command plays nothing')) };

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
function openCoordinator({ stores, redis, clock, log: logger }: OperatingOptions): QueueCoordinator {
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

/** Whether a process with the role `jobs` is connected: each has a connection named after its queue. */
async function jobsState(redis: Redis | null): Promise<PartState> {
  if (redis === null) return 'down';
  await redis.ping();
  const clients = await redis.client('LIST').catch(() => null);
  // A Redis with restricted commands does not list its clients.
  if (typeof clients !== 'string') return 'unknown';
  return clients.split(/\s/).includes(`name=hatif:${jobQueues.webhooks.name}`) ? 'up' : 'down';
}
