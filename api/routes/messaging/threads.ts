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
  readonly messages: Pick<Messages, 'threads' | 'thread' | 'unread'>;
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
    unread: z.int().min(0).describe('Incoming messages that nobody has reported as read'),
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
  const shown = async (row: MessageThreadRow) => presentThread(row, await stateOf([row], { messages, chats }));
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
        agent: z.string().max(32).optional().describe('The extension of the agent who has it'),
        chat: z.enum(['open', 'closed']).optional().describe('Chats of visitors of web pages'),
      }),
      responses: { 200: { schema: cursorList(thread), description: 'One page' } },
      errors: [],
      handler: async (ctx) => {
        const { cursor, limit, channel = null, with: address = null, agent = null, chat = null } = ctx.query;
        const position = ctx.cursors.read(cursor);
        const after = position === null ? null : readPosition(position);
        const rows = await messages.threads(
          scopeOf(ctx),
          { channel, address, agent, chat },
          { limit: limit + 1, after },
        );
        const at = ({ last_message_at, id }: MessageThreadRow): string =>
          writePosition({ created_at: last_message_at, id });
        const state = await stateOf(rows, { messages, chats });
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, at, (row) => presentThread(row, state)) };
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
      description: 'A member with the role `agent` gives away own conversations, and does not see them any more.',
      scope: 'messages:write',
      ownRows: true,
      params,
      body: z.strictObject({ agent: z.string().min(2).max(32).nullable().describe('An extension; null: nobody') }),
      auditFields: ['agent'],
      responses: { 200: { schema: thread, description: 'The conversation as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { thread_id } = ctx.params;
        if ((await messages.thread(scopeOf(ctx), thread_id)) === null) throw unknownThread(thread_id);
        return { status: 200, body: await shown(await assign.assign(kindOf(ctx), thread_id, ctx.body.agent)) };
      },
    }),
  ];
}

/** What conversations show that is not in their rows, by conversation. */
export interface ThreadState {
  readonly chats: ReadonlyMap<string, WebchatRow>;
  readonly unread: ReadonlyMap<string, number>;
}

export async function stateOf(
  rows: readonly MessageThreadRow[],
  of: { readonly messages: Pick<Messages, 'unread'>; readonly chats: Pick<ThreadChats, 'rows'> },
): Promise<ThreadState> {
  const ids = rows.map(({ id }) => id);
  const [chats, unread] = await Promise.all([of.chats.rows.ofThreads(ids), of.messages.unread(ids)]);
  return { chats, unread };
}

export function presentThread(row: MessageThreadRow, { chats, unread }: ThreadState): z.output<typeof thread> {
  const chat = chats.get(row.id);
  const { id, channel, address, sender, agent, sandbox, created_at, last_message_at } = row;
  return {
    ...{ thread_id: id, channel, with: address, sender, agent, sandbox },
    unread: unread.get(id) ?? 0,
    chat: chat ? presentChat(chat) : null,
    created_at: isoTime(created_at),
    last_message_at: isoTime(last_message_at),
  };
}
