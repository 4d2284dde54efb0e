import type { Route } from '../../../api/http/route.js';
import { agentCallerRoutes } from '../../../api/routes/queues/agent-callers.js';
import { agentForwardingRoutes } from '../../../api/routes/queues/agent-forwarding.js';
import { agentQueueRoutes } from '../../../api/routes/queues/agent-queues.js';
import { agentStatsRoutes } from '../../../api/routes/queues/agent-stats.js';
import { agentRoutes } from '../../../api/routes/queues/agents.js';
import { queueAgentRoutes } from '../../../api/routes/queues/queue-agents.js';
import { queueRoutes } from '../../../api/routes/queues/queues.js';
import type { Database } from '../../../core/data/database.js';
import { Agents } from '../../../core/data/repositories/accounts/agents.js';
import { Projects } from '../../../core/data/repositories/accounts/projects.js';
import { AudioFiles } from '../../../core/data/repositories/calls/audio-files.js';
import { Callflows } from '../../../core/data/repositories/calls/callflows.js';
import { AllowedCallers } from '../../../core/data/repositories/numbers/allowed-callers.js';
import { BlockedCallers } from '../../../core/data/repositories/numbers/blocked-callers.js';
import { Numbers } from '../../../core/data/repositories/numbers/numbers.js';
import { AgentActivities } from '../../../core/data/repositories/queues/agent-activities.js';
import { QueueLog } from '../../../core/data/repositories/queues/queue-log.js';
import { QueueVisits } from '../../../core/data/repositories/queues/queue-visits.js';
import { Queues } from '../../../core/data/repositories/queues/queues.js';
import { VoicemailBoxes } from '../../../core/data/repositories/voicemail/voicemail-boxes.js';
import { Cipher } from '../../../core/model/access/cipher.js';
import { systemClock, type Clock } from '../../../core/ports/clock.js';
import { AgentService } from '../../../core/services/agents/agents.js';
import { ManageAllowedCallers, ManageBlockedCallers } from '../../../core/services/blocked-callers/manage.js';
import { OnwardRouter } from '../../../core/services/live-calls/routing/onward.js';
import { QueueCoordinator, type QueueObserver } from '../../../core/services/queues/coordinator.js';
import { AgentQueues } from '../../../core/services/queues/agent-queues.js';
import { FollowAgentQueues } from '../../../core/services/queues/follow-agent-queues.js';
import { AgentStats } from '../../../core/services/queues/agent-stats.js';
import { agentChangeReporter } from '../../../core/services/queues/facts.js';
import { QueueCallBridge } from '../../../core/services/live-calls/queues/queue-call-bridge.js';
import { QueueService } from '../../../core/services/queues/manage.js';
import { ReadQueues } from '../../../core/services/queues/read.js';
import { SignIn } from '../../../core/services/queues/sign-in.js';
import { QueueAgentEvents } from '../../../core/services/queues/agent-events.js';
import { QueueWatch } from '../../../core/services/queues/watch.js';
import { quiet } from '../logger.js';
import { directoryOn } from '../rows/directory.js';
import { forwardingParts } from '../rows/forwarding-parts.js';

/** Maximum number of streams of one key or user. */
export const STREAMS_PER_KEY = 3;

/** The queue services of one process, on one database. */
export interface QueueParts {
  readonly coordinator: QueueCoordinator;
  readonly queues: QueueService;
  readonly signIn: SignIn;
  readonly visits: QueueVisits;
  readonly agents: AgentService;
  readonly callBridge: QueueCallBridge;
  readonly watch: QueueWatch;
  readonly routes: readonly Route[];
}

export function queueParts(db: Database, clock: Clock = systemClock, observer?: QueueObserver): QueueParts {
  const [rows, visits, agentRows] = [new Queues(db), new QueueVisits(db), new Agents(db)];
  const log = new QueueLog(db);
  const announce = (): Promise<void> => Promise.resolve();
  const coordinator = new QueueCoordinator({
    log,
    agentEvents: new QueueAgentEvents({
      queue: (id) => rows.getIncludingRemoved(id),
      project: (id) => new Projects(db).get(id),
      clock,
    }),
    clock,
    logger: quiet,
    wake: () => undefined,
    onLanes: () => undefined,
    ...(observer === undefined ? {} : { observer }),
  });
  const audio = new AudioFiles(db);
  const callflows = new Callflows(db);
  const queues = new QueueService({
    queues: rows,
    coordinator,
    hasNumber: async (projectId, e164) => (await new Numbers(db).findByE164(e164))?.project_id === projectId,
    hasCallflow: async (projectId, id) => (await callflows.get({ projectId, sandboxOnly: false }, id)) !== null,
    musicPath: async (projectId, id) => ((await audio.get({ projectId, sandbox: false }, id)) ? `/sounds/${id}` : null),
    clock,
    announce,
  });
  const agents = new AgentService({
    agents: agentRows,
    numbers: new Numbers(db),
    cipher: new Cipher('a secret for tests, thirty-two characters'),
    clock,
    announce,
  });
  const signIn = new SignIn({ coordinator, agents: agentRows, queues: rows, visits });
  const read = new ReadQueues({ coordinator, queues, visits, clock });
  const agentQueues = new AgentQueues({ coordinator, queues, agents, clock });
  const reporter = agentChangeReporter(coordinator);
  const boxes = {
    open: async (id: string) => {
      const box = await new VoicemailBoxes(db).get(id);
      return box?.enabled === true ? box : null;
    },
  };
  const { manage: forwarding } = forwardingParts(db, { directory: directoryOn(db), coordinator, boxes, clock });
  const callBridge = new QueueCallBridge({
    coordinator,
    queue: (id) => rows.getIncludingRemoved(id),
    visits,
    announcement: () => Promise.resolve([]),
    onward: new OnwardRouter({
      directory: {
        numberByE164: (e164) => new Numbers(db).findByE164(e164),
        activeFlow: (id) => callflows.findActive(null, id),
      },
      boxes,
    }),
    clock,
    logger: quiet,
  });
  const watch = new QueueWatch({
    coordinator,
    log,
    visits,
    agentByAor: (aor) => directoryOn(db).agentByAor(aor),
    agentsOf: (projectId) => agentRows.listByProject(projectId),
    clock,
    logger: quiet,
  });
  return {
    coordinator,
    queues,
    signIn,
    visits,
    agents,
    callBridge,
    watch,
    routes: [
      ...queueAgentRoutes({ signIn, read }),
      ...queueRoutes({ queues, read }),
      ...agentQueueRoutes({
        agentQueues,
        following: new FollowAgentQueues({ reading: agentQueues, coordinator, clock, logger: quiet }),
        streamsPerKey: STREAMS_PER_KEY,
      }),
      ...agentStatsRoutes({ stats: new AgentStats({ agents, activities: new AgentActivities(db), clock }) }),
      ...agentForwardingRoutes({ agents, forwarding, reportChange: reporter }),
      ...agentCallerRoutes({
        agents,
        blockedCallers: new ManageBlockedCallers({ table: new BlockedCallers(db), announce, clock }),
        allowedCallers: new ManageAllowedCallers({ table: new AllowedCallers(db), announce, clock }),
      }),
      ...agentRoutes({
        agents,
        read,
        sipServer: { host: '192.0.2.10', port: 5060, transport: 'udp' },
        reportChange: reporter,
      }),
    ],
  };
}
