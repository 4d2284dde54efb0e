import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { AGENT_STATES } from '../../../core/model/queue/types.js';
import type { AgentQueues, AgentQueuesObject } from '../../../core/services/queues/agent-queues.js';
import type { FollowAgentQueues } from '../../../core/services/queues/follow-agent-queues.js';
import { agentQueuesInSandbox } from '../../../core/services/sandbox/queues.js';
import { assertVisible } from '../../http/caller.js';
import { OpenStreams, untilLeft } from '../../http/open-streams.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { agentPause } from './agents.js';
import { memberStatus } from './queue-agents.js';

export interface AgentQueueRoutesServices {
  readonly agentQueues: Pick<AgentQueues, 'of'>;
  readonly following: Pick<FollowAgentQueues, 'follow'>;
  /** Maximum number of streams that one key or user has open in this process. */
  readonly streamsPerKey: number;
}

const count = z.int().min(0);
const queueOfAgent = z
  .strictObject({
    queue_id: idOutput,
    queue: z.string(),
    dial_code: z.string().nullable(),
    status: memberStatus,
    since: timeOutput.nullable().describe('When `status` began; null if the agent has never signed in to the queue'),
    calls_taken: count.describe('Calls taken since login'),
    waiting: count
      .nullable()
      .describe('Callers who wait now; null if the agent has never signed in to the queue, and for a sandbox key'),
  })
  .meta({ id: 'AgentQueue' });

const queuesOfAgent = z
  .strictObject({
    agent: z.string().describe('The extension'),
    state: z.enum(AGENT_STATES).nullable().describe('Null if the agent has never signed in to a queue'),
    pause: agentPause,
    wrap_up_until: timeOutput.nullable().describe('When `wrap_up` ends; null in every other `state`'),
    queues: z.array(queueOfAgent).describe('All queues of the project, by name'),
    at: timeOutput.describe('When this was read'),
  })
  .meta({ id: 'AgentQueues' });

const EXAMPLE = {
  agent: '1001',
  state: 'idle',
  pause: null,
  wrap_up_until: null,
  queues: [
    {
      queue_id: '01934f7a-6f70-7182-9d34-2e1f0a9b8c74',
      queue: 'sales',
      dial_code: '501',
      status: 'logged_in',
      since: '2026-01-31T06:00:00.000Z',
      calls_taken: 3,
      waiting: 1,
    },
  ],
  at: '2026-01-31T07:30:00.000Z',
} as const satisfies AgentQueuesObject;

/** Any text: an unknown agent answers 404. */
const params = z.strictObject({ agent: z.string() });
const FAILS = ['NOT_FOUND', 'QUEUE_SERVICE_UNAVAILABLE', 'QUEUE_CONTROL_FAILED'] as const;
const SANDBOX_READS = 'A sandbox key sees neither reasons of pauses, counts of calls nor waiting callers.';

type Caller = RouteContext<'any'>['caller'];

/** The state of an agent in the queues of the project, read once or followed. */
export function agentQueueRoutes({ agentQueues, following, streamsPerKey }: AgentQueueRoutesServices): Route[] {
  const streams = new OpenStreams(streamsPerKey);
  const reading = { method: 'GET', tag: 'Agents', scope: 'queues:read', keyKind: 'any', ownRows: true } as const;
  /** @throws HatifError NOT_FOUND for an agent that does not exist, or that the caller may not see */
  const read = (caller: Caller, agent: string): Promise<AgentQueuesObject> => {
    assertVisible(caller, agent);
    return agentQueues.of(caller.projectId, agent);
  };
  return [
    route({
      ...reading,
      path: '/v1/agents/:agent/queues',
      operationId: 'getAgentQueues',
      summary: 'Read an agent’s state in the queues',
      summaryAr: 'قراءة حالة موظف في قوائم الانتظار',
      description: `The state of the agent, and all queues of the project with the status of the agent in each: members with the role \`agent\`, who may sign in to any of them, see their names and codes here, too. ${SANDBOX_READS}`,
      params,
      responses: { 200: { schema: queuesOfAgent, description: 'The state of the agent, and the queues' } },
      errors: FAILS,
      handler: async ({ caller, params: { agent } }) => ({
        status: 200,
        body: shownTo(caller)(await read(caller, agent)),
      }),
    }),
    route({
      ...reading,
      path: '/v1/agents/:agent/queues/stream',
      operationId: 'followAgentQueues',
      summary: 'Follow an agent’s state in the queues live',
      summaryAr: 'متابعة حالة موظف في قوائم الانتظار مباشرة',
      description: `Server-sent events \`queues\`: the whole state at the beginning and after each change, by any client, phone or process. States that follow each other within 200 ms may come as one. ${SANDBOX_READS}`,
      params,
      responses: {
        200: {
          schema: queuesOfAgent,
          description: 'The stream',
          contentType: 'text/event-stream',
          example: `event: queues\ndata: ${JSON.stringify(EXAMPLE)}\n\n`,
        },
      },
      errors: [...FAILS, 'EVENT_STREAM_LIMIT_EXCEEDED'],
      handler: async ({ caller, params: { agent }, signal }) => {
        // Once the stream has begun, no error can be answered any more.
        const first = await read(caller, agent);
        const leave = streams.enter(caller.id, signal);
        const states = following.follow(caller.projectId, first, signal);
        const show = shownTo(caller);
        return { status: 200, events: untilLeft(states, (state) => ({ event: 'queues', data: show(state) }), leave) };
      },
    }),
  ];
}

function shownTo({ sandbox }: Caller): (state: AgentQueuesObject) => AgentQueuesObject {
  return (state) => (sandbox ? agentQueuesInSandbox(state) : state);
}
