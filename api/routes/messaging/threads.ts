import { z } from 'zod';
import type { Messages } from '../../../core/data/repositories/messaging/messages.js';
import type { Webchats } from '../../../core/data/repositories/messaging/webchats.js';
import type { MessageThreadRow, WebchatRow } from '../../../core/data/rows.js';
import { CHANNELS } from '../../../core/model/messaging/channels.js';
import { chatState } from '../../../core/model/objects/chat.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ChatSignals } from '../../../core/ports/messaging/chat-signals.js';
import { readPosition, writePosition } from '../../../core/services/calls/read.js';
import type { AssignThread } from '../../../core/services/messaging/assign-thread.js';
import type { ChatAssignment } from '../../../core/services/messaging/webchat/assignment.js';
import type { ChatTranscripts } from '../../../core/services/messaging/webchat/transcript.js';
import { presentChat } from '../../../core/services/messaging/webchat/present.js';
import { unknownThread } from '../../../core/services/messaging/unknown.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface ThreadRoutesServices {
  readonly messages: Pick<Messages, 'threads' | 'thread'>;
  readonly chats: ThreadChats & { readonly transcripts: Pick<ChatTranscripts, 'lines' | 'text'> };
  readonly assign: AssignThread;
}

/** The chats of visitors of web pages. */
export interface ThreadChats {
  readonly rows: Pick<Webchats, 'ofThreads'>;
  readonly assignment: ChatAssignment;
  readonly signals: Pick<ChatSignals, 'send'>;
}

export const thread = z
  .strictObject({
    thread_id: idOutput,
    channel: z.enum(CHANNELS),
    with: z.string().describe('The person'),
    sender: z.string().nullable().describe('Who wrote to the person last'),
    agent: z.string().nullable().describe('The extension of the agent who has the conversation'),
    chat: chatState.nullable().describe('Of a visitor of a web page; null on other channels'),
    sandbox: z.boolean(),
    created_at: timeOutput,
    last_message_at: timeOutput,
  })
  .meta({ id: 'MessageThread' });

const transcript = z
  .strictObject({
    thread_id: idOutput,
    with: z.string(),
    messages: z.array(
      z.strictObject({
        message_id: idOutput,
        at: timeOutput,
        from: z.enum(['person', 'agent']),
        agent: z.string().nullable().describe('The name of the agent who wrote it, if one did'),
        text: z.string(),
        file_name: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'ThreadTranscript' });

const params = z.strictObject({ thread_id: idParam('NOT_FOUND') });

/** Conversations with one person each. `GET /messages?thread_id=…` has their messages. */
export function threadRoutes({ messages, assign, chats }: ThreadRoutesServices): Route[] {
  const common = { tag: 'Messages', keyKind: 'any', flag: 'messages' } as const;
  const reading = { ...common, method: 'GET', scope: 'messages:read', ownRows: true } as const;
  const shown = async (row: MessageThreadRow) => presentThread(row, await chats.rows.ofThreads([row.id]));
  return [
    route({
      ...reading,
      path: '/v1/messages/threads',
      operationId: 'listThreads',
      summary: 'List conversations, the last ones first',
      summaryAr: 'عرض المحادثات من الأحدث إلى الأقدم',
      description: 'A member with the role `agent` sees own conversations only.',
      query: z.strictObject({
        ...cursorQuery,
        channel: z.enum(CHANNELS).optional(),
        with: z.string().max(254).optional().describe('The person, exactly as the conversation shows it'),
      }),
      responses: { 200: { schema: cursorList(thread), description: 'One page' } },
      errors: [],
      handler: async (ctx) => {
        const { cursor, limit, channel = null, with: address = null } = ctx.query;
        const position = ctx.cursors.read(cursor);
        const after = position === null ? null : readPosition(position);
        const rows = await messages.threads(scopeOf(ctx), { channel, address }, { limit: limit + 1, after });
        const at = ({ last_message_at, id }: MessageThreadRow): string =>
          writePosition({ created_at: last_message_at, id });
        const states = await chats.rows.ofThreads(rows.map(({ id }) => id));
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, at, (row) => presentThread(row, states)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages/threads/:thread_id',
      operationId: 'getThread',
      summary: 'Read a conversation',
      summaryAr: 'قراءة محادثة',
      params,
      responses: { 200: { schema: thread, description: 'The conversation as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { thread_id } = ctx.params;
        const row = await messages.thread(scopeOf(ctx), thread_id);
        if (!row) throw unknownThread(thread_id);
        return { status: 200, body: await shown(row) };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages/threads/:thread_id/transcript',
      operationId: 'getThreadTranscript',
      summary: 'Read a whole conversation',
      summaryAr: 'قراءة المحادثة كاملة',
      description:
        'What was written, the oldest first: the last 5,000 messages. With `format=text` as plain text with the times of Riyadh.',
      params,
      query: z.strictObject({
        format: z.enum(['json', 'text']).default('json'),
        language: z.enum(['en', 'ar']).default('en').describe('Of the words around the text'),
      }),
      responses: { 200: { schema: transcript, description: 'The conversation' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { thread_id } = ctx.params;
        const row = await messages.thread(scopeOf(ctx), thread_id);
        if (!row) throw unknownThread(thread_id);
        const { format, language } = ctx.query;
        if (format === 'text') {
          const raw = await chats.transcripts.text(row, language);
          return { status: 200, raw, contentType: 'text/plain; charset=utf-8' };
        }
        const body = { thread_id, with: row.address, messages: [...(await chats.transcripts.lines(row))] };
        return { status: 200, body };
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/v1/messages/threads/:thread_id',
      operationId: 'assignThread',
      summary: 'Give a conversation to an agent',
      summaryAr: 'إسناد محادثة إلى موظف',
      scope: 'messages:write',
      params,
      body: z.strictObject({ agent: z.string().min(2).max(32).nullable().describe('An extension; null: nobody') }),
      auditFields: ['agent'],
      responses: { 200: { schema: thread, description: 'The conversation as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => ({
        status: 200,
        body: await shown(await assign.assign(kindOf(ctx), ctx.params.thread_id, ctx.body.agent)),
      }),
    }),
  ];
}

/** @param chats by conversation */
export function presentThread(row: MessageThreadRow, chats: ReadonlyMap<string, WebchatRow>): z.output<typeof thread> {
  const chat = chats.get(row.id);
  const { id, channel, address, sender, agent, sandbox, created_at, last_message_at } = row;
  return {
    ...{ thread_id: id, channel, with: address, sender, agent, sandbox },
    chat: chat ? presentChat(chat) : null,
    created_at: isoTime(created_at),
    last_message_at: isoTime(last_message_at),
  };
}
