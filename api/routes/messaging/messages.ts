import { z } from 'zod';
import type { Messages } from '../../../core/data/repositories/messaging/messages.js';
import type { MessageRow } from '../../../core/data/rows.js';
import { CHANNELS } from '../../../core/model/messaging/channels.js';
import { MESSAGE_DIRECTIONS, MESSAGE_STATUSES } from '../../../core/model/messaging/message.js';
import { timeOutput } from '../../../core/model/objects/fields.js';
import { messageObject } from '../../../core/model/objects/message.js';
import { readPosition, writePosition } from '../../../core/services/calls/read.js';
import type { CancelMessage } from '../../../core/services/messaging/cancel.js';
import type { MarkRead } from '../../../core/services/messaging/chatapp/mark-read.js';
import { RULE_SOURCES, type ExplainMessage } from '../../../core/services/messaging/explain.js';
import { presentMessage } from '../../../core/services/messaging/present.js';
import type { SendMessage } from '../../../core/services/messaging/send.js';
import { unknownMessage } from '../../../core/services/messaging/unknown.js';
import { kindOf, notOnlyOwn, ownAgentOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, fromBeforeTo, idInput, idParam, timeInput } from '../../http/schema/schemas.js';
import { explainedMessage, newMessage, toExplainedMessage, toNewMessage } from './message-fields.js';

export interface MessageRoutesServices {
  readonly send: SendMessage;
  readonly explain: ExplainMessage;
  readonly cancel: CancelMessage;
  readonly markRead: MarkRead;
  readonly messages: Pick<Messages, 'list' | 'get' | 'createdBy'>;
}

const params = z.strictObject({ message_id: idParam('NOT_FOUND') });

const filters = z
  .strictObject({
    ...cursorQuery,
    channel: z.enum(CHANNELS).optional(),
    status: z.enum(MESSAGE_STATUSES).optional(),
    direction: z.enum(MESSAGE_DIRECTIONS).optional(),
    to: z.string().max(254).optional().describe('The recipient, exactly as the message shows it'),
    thread_id: idInput.optional(),
    from: timeInput().optional().describe('Created at or after'),
    until: timeInput().optional().describe('Created at or before'),
  })
  .refine(({ from, until }) => fromBeforeTo[0]({ from, to: until }), fromBeforeTo[1]);

const explanation = z
  .strictObject({
    allowed: z.boolean(),
    checks: z.array(
      z.strictObject({
        rule: z.string().meta({ examples: ['channel', 'sender', 'consent', 'balance'] }),
        source: z.enum(RULE_SOURCES).describe('Who made the rule'),
        passed: z.boolean(),
        error_code: z.string().nullable().describe('What `POST /v1/messages` would answer'),
        until: timeOutput.nullable(),
      }),
    ),
  })
  .meta({ id: 'MessageExplanation' });

/** Routes on single messages. Paths below `/messages` with a fixed name are listed before these. */
export function messageRoutes({ send, explain, cancel, markRead, messages }: MessageRoutesServices): Route[] {
  const common = { tag: 'Messages', keyKind: 'any', flag: 'messages', ownRows: true } as const;
  const writing = { ...common, method: 'POST', scope: 'messages:write' } as const;
  const reading = { ...common, method: 'GET', scope: 'messages:read' } as const;
  return [
    route({
      ...writing,
      path: '/v1/messages',
      operationId: 'sendMessage',
      summary: 'Send a message',
      summaryAr: 'إرسال رسالة',
      description:
        'Accepts the message and sends it at once, or at `scheduled_at`. `message.*` events report what follows. A message that reached the provider is never sent twice.',
      body: newMessage,
      auditFields: ['channel', 'class'],
      responses: { 202: { schema: messageObject, description: 'The message, which is queued' } },
      errors: [
        'INVALID_PHONE_NUMBER',
        'CHANNEL_VERB_UNSUPPORTED',
        'CHANNEL_NOT_CONFIGURED',
        'SANDBOX_DESTINATION_NOT_ALLOWED',
        'RECIPIENT_OPTED_OUT',
        'QUIET_HOURS_ACTIVE',
        'MESSAGE_VELOCITY_EXCEEDED',
        'SPEND_CAP_EXCEEDED',
        'INSUFFICIENT_CREDITS',
      ],
      recover: async ({ requestId }, { caller }) => {
        const made = await messages.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 202, body: presentMessage(made) };
      },
      handler: async ({ caller, body, requestId }) => {
        const { organization, organizationId, id: keyId } = caller;
        const writer = { ...kindOf({ caller }), organization, organizationId, keyId, requestId };
        const agent = ownAgentOf(caller);
        if (agent === '') throw notOnlyOwn('messages:write');
        const row = await send.send(toNewMessage(body), { ...writer, agent });
        return { status: 202, body: presentMessage(row) };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages',
      operationId: 'listMessages',
      summary: 'List messages, newest first',
      summaryAr: 'عرض الرسائل من الأحدث إلى الأقدم',
      query: filters,
      responses: { 200: { schema: cursorList(messageObject), description: 'One page' } },
      errors: [],
      handler: async (ctx) => {
        const { cursor, limit, channel, status, direction, to, thread_id, from, until } = ctx.query;
        const position = ctx.cursors.read(cursor);
        const after = position === null ? null : readPosition(position);
        const filter = {
          ...{ channel: channel ?? null, status: status ?? null, direction: direction ?? null, to: to ?? null },
          ...{ threadId: thread_id ?? null, createdFrom: from ?? null, createdTo: until ?? null },
        };
        const rows = await messages.list(scopeOf(ctx), filter, { limit: limit + 1, after });
        const at = ({ created_at, id }: MessageRow): string => writePosition({ created_at, id });
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, at, presentMessage) };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages/explain',
      operationId: 'explainMessage',
      summary: 'Say whether a message would be accepted',
      summaryAr: 'بيان ما إذا كانت الرسالة ستُقبل',
      description:
        'Runs every check of `POST /v1/messages`, also those after a refusal, and sends nothing. `until` says when a rule that refuses now will let the message pass.',
      query: explainedMessage,
      responses: { 200: { schema: explanation, description: 'Each rule, in the order of the checks' } },
      errors: ['INVALID_PHONE_NUMBER'],
      handler: async ({ caller, query, requestId }) => {
        const { organization, organizationId, id: keyId } = caller;
        const writer = { ...kindOf({ caller }), organization, organizationId, keyId, requestId };
        const checks = await explain.explain(toExplainedMessage(query), { ...writer, agent: ownAgentOf(caller) });
        return { status: 200, body: { allowed: checks.every(({ passed }) => passed), checks: [...checks] } };
      },
    }),
    route({
      ...reading,
      path: '/v1/messages/:message_id',
      operationId: 'getMessage',
      summary: 'Read a message',
      summaryAr: 'قراءة رسالة',
      params,
      responses: { 200: { schema: messageObject, description: 'The message as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        const { message_id } = ctx.params;
        const row = await messages.get(scopeOf(ctx), message_id);
        if (!row) throw unknownMessage(message_id);
        return { status: 200, body: presentMessage(row) };
      },
    }),
    route({
      ...writing,
      path: '/v1/messages/:message_id/cancel',
      operationId: 'cancelMessage',
      summary: 'Cancel a scheduled message',
      summaryAr: 'إلغاء رسالة مجدولة',
      description:
        'Possible until the message is submitted to the provider. No event reports it, and it costs nothing.',
      params,
      responses: { 200: { schema: messageObject, description: 'The message, which is cancelled' } },
      errors: ['NOT_FOUND', 'MESSAGE_NOT_CANCELLABLE'],
      handler: async (ctx) => ({
        status: 200,
        body: presentMessage(await cancel.cancel(scopeOf(ctx), ctx.caller.sandbox, ctx.params.message_id)),
      }),
    }),
    route({
      ...writing,
      path: '/v1/messages/:message_id/read',
      operationId: 'readMessage',
      summary: 'Report an incoming message as read',
      summaryAr: 'الإبلاغ بقراءة رسالة واردة',
      description:
        'Those before it in the conversation are read, too. On WhatsApp the person sees it. A repeat changes nothing.',
      params,
      responses: { 200: { schema: messageObject, description: 'The message, with `read_at`' } },
      errors: ['NOT_FOUND', 'CHANNEL_VERB_UNSUPPORTED', 'CHANNEL_NOT_CONFIGURED', 'INTERNAL_ERROR'],
      handler: async (ctx) => {
        const user = { ...kindOf(ctx), organization: ctx.caller.organization };
        return { status: 200, body: presentMessage(await markRead.read(scopeOf(ctx), user, ctx.params.message_id)) };
      },
    }),
  ];
}
