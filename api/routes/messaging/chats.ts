import { z } from 'zod';
import type { Messages } from '../../../core/data/repositories/messaging/messages.js';
import type { AgentRow, MessageThreadRow } from '../../../core/data/rows.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { unknownThread } from '../../../core/services/messaging/unknown.js';
import { kindOf, notOnlyOwn, ownAgentOf, scopeOf } from '../../http/caller.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { idParam } from '../../http/schema/schemas.js';
import { presentThread, stateOf, thread, type ThreadChats } from './threads.js';

export interface ChatRoutesServices {
  readonly messages: Pick<Messages, 'thread' | 'unread'>;
  readonly chats: ThreadChats;
  /** Null for one that the project does not have. */
  readonly agentByExtension: (projectId: string, agent: string) => Promise<Pick<AgentRow, 'agent'> | null>;
}

type Asked = Pick<RouteContext<'any'>, 'caller'>;

const params = z.strictObject({ thread_id: idParam('NOT_FOUND') });
const whose = z.strictObject({
  agent: z
    .string()
    .min(2)
    .max(32)
    .optional()
    .describe('An extension. A member with the role `agent` is the own one; for others: required'),
});

/** What agents do with chats of visitors of web pages. */
export function chatRoutes({ messages, chats, agentByExtension }: ChatRoutesServices): Route[] {
  const rows = { tag: 'Messages', keyKind: 'any', flag: 'messages', ownRows: true } as const;
  const common = { ...rows, method: 'POST', scope: 'messages:write', params } as const;
  const responses = { 200: { schema: thread, description: 'The conversation as it is now' } } as const;

  /** The conversation, if the caller sees it and it is a chat of its kind. */
  const visible = async (ctx: Asked, threadId: string): Promise<MessageThreadRow> => {
    const row = await messages.thread(scopeOf(ctx), threadId);
    if (row?.channel !== 'webchat' || row.sandbox !== ctx.caller.sandbox) throw unknownThread(threadId);
    return row;
  };
  const shown = async (ctx: Asked, threadId: string) => {
    // An agent who has declined a chat does not see it any more.
    const row = await messages.thread({ ...scopeOf(ctx), agent: null }, threadId);
    if (!row) throw unknownThread(threadId);
    return presentThread(row, await stateOf([row], { messages, chats }));
  };
  const agentOf = async ({ caller }: Asked, given: string | undefined): Promise<string> => {
    const own = ownAgentOf(caller);
    if (own === '' || (own !== null && given !== undefined && given !== own)) throw notOnlyOwn('messages:write');
    const agent = own ?? given;
    if (agent === undefined) throw invalidField('agent', REQUIRED);
    if ((await agentByExtension(caller.projectId, agent)) === null) throw invalidField('agent', UNKNOWN_AGENT);
    return agent;
  };
  /** The route by which an agent answers an offer. */
  const answering = (
    answer: 'accept' | 'decline',
    described: { path: string; operationId: string; summary: string; summaryAr: string; description: string },
  ): Route =>
    route({
      ...common,
      ...described,
      body: whose,
      auditFields: ['agent'],
      responses,
      errors: ['NOT_FOUND', 'CHAT_NOT_OFFERED'],
      handler: async (ctx) => {
        const { thread_id: threadId } = ctx.params;
        await visible(ctx, threadId);
        const agent = await agentOf(ctx, ctx.body.agent);
        await chats.assignment[answer](kindOf(ctx), threadId, agent);
        return { status: 200, body: await shown(ctx, threadId) };
      },
    });
  return [
    answering('accept', {
      path: '/v1/messages/threads/:thread_id/accept',
      operationId: 'acceptChat',
      summary: 'Accept a chat',
      summaryAr: 'قبول محادثة',
      description:
        'An agent takes a chat that is offered to this agent, or that waits. To write to the visitor accepts it, too.',
    }),
    answering('decline', {
      path: '/v1/messages/threads/:thread_id/decline',
      operationId: 'declineChat',
      summary: 'Decline a chat',
      summaryAr: 'رفض محادثة',
      description: 'The chat is offered to another agent of its queue, and to this one only after all others.',
    }),
    route({
      ...common,
      path: '/v1/messages/threads/:thread_id/close',
      operationId: 'closeChat',
      summary: 'Close a chat',
      summaryAr: 'إغلاق محادثة',
      description: 'It waits for an agent again when the visitor writes. A repeat changes nothing.',
      responses,
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { thread_id: threadId } = ctx.params;
        await visible(ctx, threadId);
        await chats.assignment.close(kindOf(ctx), threadId);
        return { status: 200, body: await shown(ctx, threadId) };
      },
    }),
    route({
      ...common,
      path: '/v1/messages/threads/:thread_id/typing',
      operationId: 'typeInChat',
      summary: 'Show the visitor that an agent is typing',
      summaryAr: 'إظهار أن الموظف يكتب',
      description: 'The visitor’s page shows it for some seconds: repeat it while the agent types.',
      responses: { 204: { schema: null, description: 'Shown, if the visitor is there' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { address } = await visible(ctx, ctx.params.thread_id);
        chats.signals.send({ kind: 'typing', chatId: address, by: 'agent' });
        return { status: 204 };
      },
    }),
    route({
      ...common,
      path: '/v1/messages/threads/:thread_id/call',
      operationId: 'proposeCall',
      summary: 'Ask the visitor to talk',
      summaryAr: 'دعوة الزائر إلى مكالمة',
      description:
        'The visitor’s page asks whether to talk, for a minute. Who agrees calls the agent who has the chat from the browser, if the widget has `browser_calls`, or is called back. The stream of chats reports the answer.',
      responses: { 204: { schema: null, description: 'Asked, if the visitor is there' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { address, agent } = await visible(ctx, ctx.params.thread_id);
        chats.signals.send({ kind: 'call', chatId: address, step: 'proposed', agent });
        return { status: 204 };
      },
    }),
  ];
}

const REQUIRED = { en: 'is required', ar: 'مطلوب' };
const UNKNOWN_AGENT = { en: 'is not an agent of this project', ar: 'ليس موظفًا في هذا المشروع' };
