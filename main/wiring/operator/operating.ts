import type { Redis } from 'ioredis';
import { timelineOf } from '../../../core/data/repositories/calls/timeline.js';
import { Uses } from '../../../core/data/repositories/maintenance/uses.js';
import { AcmeCertificates } from '../../../core/data/repositories/certificates/certificates.js';
import { OverviewRows } from '../../../core/data/repositories/engines/overview-rows.js';
import { webhookBacklog } from '../../../core/data/repositories/webhooks/webhook-backlog.js';
import type { Clock } from '../../../core/ports/clock.js';
import type { CommandBus } from '../../../core/ports/command-bus.js';
import { queues as jobQueues } from '../../../core/ports/jobs.js';
import { ControlCall } from '../../../core/services/calls/control.js';
import { OperateCalls } from '../../../core/services/calls/operate.js';
import { ReadCalls } from '../../../core/services/calls/read.js';
import { certificateState } from '../../../core/services/certificates/state.js';
import { ReadStatus, type PartState } from '../../../core/services/overview/status.js';
import type { QueueCoordinator } from '../../../core/services/queues/coordinator.js';
import { findQueue } from '../../../core/services/queues/manage.js';
import { ReadQueues } from '../../../core/services/queues/read.js';
import { Removal } from '../../../core/services/removal/removal.js';
import type { DeliveryLog } from '../../../core/services/webhooks/delivery-log.js';
import { OperateWebhooks } from '../../../core/services/webhooks/operate.js';
import type { Management } from '../management.js';
import type { Stores } from '../stores.js';

export interface OperatingOptions {
  readonly stores: Stores;
  /** Null if no platform runs. */
  readonly redis: Redis | null;
  readonly management: Pick<Management, 'agents' | 'numbers' | 'numbering' | 'refusedCalls' | 'trunks'>;
  readonly coordinator: QueueCoordinator;
  readonly bus: Pick<CommandBus, 'send'>;
  readonly deliveries: DeliveryLog;
  readonly clock: Clock;
}

/** Services of the operator that look at the running platform, or command it. */
export interface Operating {
  readonly status: ReadStatus;
  readonly calls: OperateCalls;
  readonly queues: ReadQueues;
  readonly webhooks: OperateWebhooks;
  readonly removal: Removal;
}

export function openOperating(options: OperatingOptions): Operating {
  const { stores, redis, management, coordinator, bus, deliveries, clock } = options;
  const { refusedCalls, trunks } = management;
  const { db, queues } = stores;
  const reading = new ReadQueues({
    coordinator,
    queues: {
      list: (projectId) => queues.list(projectId),
      get: (projectId, id) => findQueue(queues, projectId, id),
    },
    visits: stores.queueVisits,
    clock,
  });
  return {
    status: new ReadStatus({
      ...{ ...stores, refusedCalls, trunks, clock },
      rows: new OverviewRows(db),
      coordinator,
      backlog: () => webhookBacklog(db),
      checks: {
        redis: async () => (redis === null ? 'down' : (await redis.ping(), 'up')),
        jobs: () => jobsState(redis),
        certificate: () => certificateState(new AcmeCertificates(db), clock.now()),
      },
    }),
    calls: new OperateCalls({
      db,
      read: new ReadCalls(stores.calls, (callId) => timelineOf(db, callId)),
      control: new ControlCall({ calls: stores.calls, audio: PLAYS_NOTHING, bus }),
      clock,
    }),
    queues: reading,
    webhooks: new OperateWebhooks({ db, deliveries, clock }),
    removal: new Removal({
      uses: new Uses(db),
      agents: management.agents,
      numbers: management.numbers,
      manageNumbers: management.numbering.manage,
      ...{ trunks, coordinator, queues: reading },
    }),
  };
}

const PLAYS_NOTHING = { prepare: () => Promise.reject(new Error('an operator plays nothing')) };

/** Whether a process with the role `jobs` is connected: each has a connection named after its queue. */
async function jobsState(redis: Redis | null): Promise<PartState> {
  if (redis === null) return 'down';
  await redis.ping();
  const clients = await redis.client('LIST').catch(() => null);
  // A Redis with restricted commands does not list its clients.
  if (typeof clients !== 'string') return 'unknown';
  return clients.split(/\s/).includes(`name=hatif:${jobQueues.webhooks.name}`) ? 'up' : 'down';
}
