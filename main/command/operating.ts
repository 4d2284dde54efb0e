import type { Redis } from 'ioredis';
import { OverviewRows } from '../../core/data/repositories/engines/overview-rows.js';
import { webhookBacklog } from '../../core/data/repositories/webhooks/webhook-backlog.js';
import type { Clock } from '../../core/ports/clock.js';
import { queues as jobQueues } from '../../core/ports/jobs.js';
import type { Logger } from '../../core/ports/logger.js';
import { ReadStatus, type PartState } from '../../core/services/overview/status.js';
import { QueueAgentEvents } from '../../core/services/queues/agent-events.js';
import { QueueCoordinator } from '../../core/services/queues/coordinator.js';
import type { Platform } from '../../cli/common/context.js';
import type { Management } from '../wiring/management.js';
import type { Stores } from '../wiring/stores.js';

export interface OperatingOptions {
  readonly stores: Stores;
  /** Null if no platform runs. */
  readonly redis: Redis | null;
  readonly management: Management;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Services of commands that look at the running platform. */
export function openOperating(options: OperatingOptions): Pick<Platform, 'status'> {
  const { stores, redis, management, clock } = options;
  const { refusedCalls, trunks } = management;
  return {
    status: new ReadStatus({
      ...{ ...stores, refusedCalls, trunks, clock },
      rows: new OverviewRows(stores.db),
      coordinator: queueReader(options),
      backlog: () => webhookBacklog(stores.db),
      checks: {
        redis: async () => (redis === null ? 'down' : (await redis.ping(), 'up')),
        jobs: () => jobsState(redis),
      },
    }),
  };
}

/** Reads queues and does not decide anything. */
function queueReader({ stores, clock, log: logger }: OperatingOptions): Pick<QueueCoordinator, 'view'> {
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
    wake: () => undefined,
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
