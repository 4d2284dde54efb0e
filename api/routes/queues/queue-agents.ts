import { z } from 'zod';
import { timeOutput } from '../../../core/model/objects/fields.js';
import { AGENT_STATES } from '../../../core/model/queue/types.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { MemberObject, ReadQueues } from '../../../core/services/queues/read.js';
import type { SignIn } from '../../../core/services/queues/sign-in.js';
import { memberInSandbox } from '../../../core/services/sandbox/queues.js';
import { assertOwnAgent, ownAgentOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery } from '../../http/schema/schemas.js';

const TAG = 'Queues';

export interface QueueAgentRoutesServices {
  readonly signIn: SignIn;
  readonly read: ReadQueues;
}

export const memberStatus = z.enum(['logged_in', 'logged_out', 'paused']);
const resultObject = z
  .strictObject({ agent: z.string(), queue: z.string(), status: memberStatus })
  .meta({ id: 'QueueAgentResult' });
const pauseObject = z
  .strictObject({
    agent: z.string(),
    queue: z.null().describe('Always null: a pause applies to all queues'),
    status: memberStatus,
    reason: z.string().nullable().describe('The reason of the pause that the agent is in'),
  })
  .meta({ id: 'QueueAgentPause' });

export const memberObject = z
  .strictObject({
    agent: z.string(),
    queue: z.string(),
    status: memberStatus,
    state: z.enum(AGENT_STATES),
    pause_reason: z.string().nullable().describe('Of an agent with the status `paused`'),
    registered: z.boolean().describe('Whether the softphone is registered'),
    since: timeOutput.describe('When `status` began'),
    calls_taken: z.int().min(0).describe('Calls taken since login'),
  })
  .meta({ id: 'QueueMember' });

/** The service checks that the agent or queue exists. */
const reference = z.string().trim().min(1).max(64);
const memberBody = z.strictObject({
  agent: reference.describe('The extension').meta({ examples: ['1001'] }),
  queue: reference.describe('Name or id').meta({ examples: ['sales'] }),
});
const reason = z.string().trim().min(1).max(128).nullish();

const FAILS = ['QUEUE_CONTROL_FAILED', 'QUEUE_SERVICE_UNAVAILABLE'] as const;

export function queueAgentRoutes({ signIn, read }: QueueAgentRoutesServices): Route[] {
  /** The agent, if the caller may sign it in and out. */
  const own = (caller: Caller, agent: string): string => {
    assertOwnAgent(caller, agent, 'queues:write');
    return agent;
  };
  const writing = { method: 'POST', tag: TAG, scope: 'queues:write', keyKind: 'live' } as const;
  const member = { ...writing, body: memberBody, auditFields: ['agent', 'queue'], errors: FAILS } as const;
  return [
    route({
      ...member,
      path: '/v1/queues/agents/login',
      operationId: 'loginAgent',
      ownRows: true,
      summary: 'Sign an agent in to a queue',
      summaryAr: 'تسجيل دخول موظف إلى قائمة انتظار',
      description:
        'While the agent’s softphone is registered, it is rung for callers of the queue. Repeating the request has no effect.',
      responses: { 200: { schema: resultObject, description: '`status` is `logged_in`' } },
      handler: async ({ caller, body }) => ({
        status: 200,
        body: named(await signIn.login(caller.projectId, own(caller, body.agent), body.queue)),
      }),
    }),
    route({
      ...member,
      path: '/v1/queues/agents/logout',
      operationId: 'logoutAgent',
      ownRows: true,
      summary: 'Sign an agent out of a queue',
      summaryAr: 'تسجيل خروج موظف من قائمة انتظار',
      description:
        'If the agent’s phone rings for a caller of the queue, it stops ringing; a live call continues. Repeating the request has no effect.',
      responses: { 200: { schema: resultObject, description: '`status` is `logged_out`' } },
      handler: async ({ caller, body }) => ({
        status: 200,
        body: named(await signIn.logout(caller.projectId, own(caller, body.agent), body.queue)),
      }),
    }),
    route({
      ...writing,
      path: '/v1/queues/agents/pause',
      operationId: 'pauseAgent',
      ownRows: true,
      summary: 'Pause an agent',
      summaryAr: 'إيقاف استقبال الموظف للمكالمات مؤقتًا',
      description: 'The agent stays signed in but is offered no callers of any queue until unpaused.',
      body: z.strictObject({
        agent: memberBody.shape.agent,
        reason: reason.describe('Shown until the pause ends; a repeat does not change it'),
      }),
      auditFields: ['agent', 'reason'],
      responses: { 200: { schema: pauseObject, description: '`status` is `paused`' } },
      errors: FAILS,
      handler: async ({ caller, body }) => ({
        status: 200,
        body: { ...(await signIn.pause(caller.projectId, own(caller, body.agent), body.reason ?? null)), queue: null },
      }),
    }),
    route({
      ...writing,
      path: '/v1/queues/agents/unpause',
      operationId: 'unpauseAgent',
      ownRows: true,
      summary: 'End an agent’s pause',
      summaryAr: 'إعادة الموظف إلى استقبال المكالمات',
      body: z.strictObject({ agent: memberBody.shape.agent, reason: reason.describe('Not used') }),
      auditFields: ['agent'],
      responses: {
        200: {
          schema: pauseObject,
          description: '`status` is `logged_in`, or `logged_out` if the agent is in no queue',
        },
      },
      errors: FAILS,
      handler: async ({ caller, body }) => ({
        status: 200,
        body: { ...(await signIn.unpause(caller.projectId, own(caller, body.agent))), queue: null },
      }),
    }),
    route({
      method: 'GET',
      tag: TAG,
      scope: 'queues:read',
      keyKind: 'any',
      path: '/v1/queues/members',
      operationId: 'listQueueMembers',
      ownRows: true,
      summary: 'List the agents of queues',
      summaryAr: 'موظفو قوائم الانتظار وحالاتهم',
      description:
        'Agents who are or were signed in, with their state. `unavailable`: not registered, or did not answer a recent offer. A sandbox key sees neither reasons of pauses nor counts of calls.',
      query: z.strictObject({
        ...cursorQuery,
        queue: reference.optional().describe('Name or ID; all queues if absent'),
      }),
      responses: { 200: { schema: cursorList(memberObject), description: 'One page of members, by queue and agent' } },
      errors: FAILS,
      handler: async ({ caller, query, cursors }) => {
        const at = ({ queue, agent }: MemberObject) => `${queue} ${agent}`;
        const after = cursors.read(query.cursor);
        const agent = ownAgentOf(caller);
        const members = await read.members(caller.projectId, query.queue);
        const all = agent === null ? members : members.filter((row) => row.agent === agent);
        const rows = all.filter((row) => after === null || at(row) > after).sort((a, b) => (at(a) < at(b) ? -1 : 1));
        const seen = (row: MemberObject) => (caller.sandbox ? memberInSandbox(row) : row);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, at, seen) };
      },
    }),
  ];
}

function named({ agent, queue, status }: Awaited<ReturnType<SignIn['login']>>): z.output<typeof resultObject> {
  return { agent, queue: queue ?? '', status };
}
