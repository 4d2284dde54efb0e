import type { ProjectKind } from '../../../core/data/repositories/project-kind.js';
import { AgentQueues } from '../../../core/services/queues/agent-queues.js';
import { AgentStats } from '../../../core/services/queues/agent-stats.js';
import { agentChangeReporter } from '../../../core/services/queues/facts.js';
import { FollowAgentQueues } from '../../../core/services/queues/follow-agent-queues.js';
import { QueueService } from '../../../core/services/queues/manage.js';
import { ReadQueues } from '../../../core/services/queues/read.js';
import { ColleagueRows } from '../../../core/data/repositories/accounts/colleagues.js';
import { Colleagues } from '../../../core/services/agents/colleagues.js';
import type { Route } from '../../../api/http/route.js';
import { agentCallerRoutes } from '../../../api/routes/queues/agent-callers.js';
import { agentForwardingRoutes } from '../../../api/routes/queues/agent-forwarding.js';
import { agentQueueRoutes } from '../../../api/routes/queues/agent-queues.js';
import { agentStatsRoutes } from '../../../api/routes/queues/agent-stats.js';
import { agentRoutes } from '../../../api/routes/queues/agents.js';
import { colleagueRoutes } from '../../../api/routes/queues/colleagues.js';
import { queueAgentRoutes } from '../../../api/routes/queues/queue-agents.js';
import { queueRoutes } from '../../../api/routes/queues/queues.js';
import { phoneServer } from '../../install/phone-server.js';
import type { RouteOptions, SharedParts } from './options.js';

/** Queues belong to production. */
const live = (projectId: string): ProjectKind => ({ projectId, sandbox: false });

/** Routes for agents and queues. */
export function openQueueRoutes(options: RouteOptions, { audio }: SharedParts): Route[] {
  const { settings, stores, media, clock, log: logger } = options;
  const sipServer = phoneServer(settings, options.parts);
  const { coordinator, signIn } = options.queues;
  const { agents, announce, forwarding } = options.management;
  const reportChange = agentChangeReporter(coordinator);
  const queues = new QueueService({
    queues: stores.queues,
    coordinator,
    hasNumber: async (projectId, e164) => (await stores.numbers.findOf(live(projectId), e164)) !== null,
    hasCallflow: (projectId, id) => stores.callflows.has(live(projectId), id),
    musicPath: async (projectId, audioId) =>
      (await audio.has(live(projectId), audioId)) ? media.pathOf(audioId) : null,
    clock,
    announce,
  });
  const read = new ReadQueues({ coordinator, queues, visits: stores.queueVisits, clock });
  const agentQueues = new AgentQueues({ coordinator, queues, agents, clock });
  return [
    // Before the queues, whose ids would match `members`.
    ...queueAgentRoutes({ signIn, read }),
    ...queueRoutes({ queues, read }),
    ...agentQueueRoutes({
      agentQueues,
      following: new FollowAgentQueues({ reading: agentQueues, coordinator, clock, logger }),
      streamsPerKey: settings.EVENT_STREAMS_PER_KEY,
    }),
    ...agentStatsRoutes({ stats: new AgentStats({ agents, activities: stores.agentActivities, clock }) }),
    ...agentRoutes({ agents, read, sipServer, reportChange }),
    ...colleagueRoutes({ colleagues: new Colleagues(new ColleagueRows(stores.db), clock) }),
    ...agentForwardingRoutes({ agents, forwarding, reportChange }),
    ...agentCallerRoutes(options.management),
  ];
}
