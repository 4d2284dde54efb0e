import { z } from 'zod';
import type { MessageSenderRow } from '../../../core/data/rows.js';
import { CHANNELS } from '../../../core/model/messaging/channels.js';
import { SENDER_STATUSES } from '../../../core/model/messaging/sender.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { SenderService } from '../../../core/services/messaging/senders.js';
import { kindOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface SenderRoutesServices {
  readonly senders: SenderService;
}

export const senderObject = z
  .strictObject({
    id: idOutput,
    channel: z.enum(CHANNELS),
    sender: z.string(),
    status: z.enum(SENDER_STATUSES),
    rejection_reason: z.string().nullable(),
    sandbox: z.boolean(),
    created_at: timeOutput,
    decided_at: timeOutput.nullable(),
  })
  .meta({ id: 'MessageSender' });

/** The names and numbers under which a project sends messages. */
export function senderRoutes({ senders }: SenderRoutesServices): Route[] {
  const common = { tag: 'Messages', keyKind: 'any', flag: 'messages' } as const;
  const writing = { ...common, scope: 'messages:write' } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/messages/senders',
      operationId: 'listSenders',
      summary: 'List senders, newest first',
      summaryAr: 'عرض أسماء المُرسِلين من الأحدث إلى الأقدم',
      scope: 'messages:read',
      query: z.strictObject({ ...cursorQuery, channel: z.enum(CHANNELS).optional() }),
      responses: { 200: { schema: cursorList(senderObject), description: 'One page' } },
      errors: [],
      handler: async (ctx) => {
        const { cursor, limit, channel = null } = ctx.query;
        const rows = await senders.list(kindOf(ctx), channel, ctx.cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, ({ id }) => id, presentSender) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/messages/senders',
      operationId: 'createSender',
      summary: 'Register a sender',
      summaryAr: 'تسجيل اسم مُرسِل',
      description:
        'For SMS a name of at most 11 characters, or a number of the project; for e-mail an address, or a name with an address. A name that ends with `-AD` is for promotional messages, which need such a name. A name or address is `pending` until the operator approves it; a number, and everything of the sandbox, is approved at once.',
      body: z.strictObject({
        channel: z.enum(['sms', 'email']).default('sms'),
        sender: z
          .string()
          .trim()
          .min(1)
          .max(254)
          .meta({ examples: ['HATIF', 'HATIF-AD', '+966112345678'] }),
      }),
      auditFields: ['channel', 'sender'],
      responses: { 201: { schema: senderObject, description: 'The sender' } },
      errors: ['CHANNEL_NOT_CONFIGURED', 'CHANNEL_VERB_UNSUPPORTED'],
      recover: async ({ requestId }, { caller }) => {
        const made = await senders.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 201, body: presentSender(made) };
      },
      handler: async ({ caller, body, requestId }) => {
        const { organization, organizationId, id: keyId } = caller;
        const editor = { ...kindOf({ caller }), organization, organizationId, keyId, requestId };
        return { status: 201, body: presentSender(await senders.create(body.channel, body.sender, editor)) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/messages/senders/:sender_id',
      operationId: 'deleteSender',
      summary: 'Delete a sender',
      summaryAr: 'حذف اسم مُرسِل',
      description: 'New messages cannot name it.',
      params: z.strictObject({ sender_id: idParam('NOT_FOUND') }),
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['NOT_FOUND'],
      handler: async (ctx) => {
        await senders.remove(kindOf(ctx), ctx.params.sender_id);
        return { status: 204 };
      },
    }),
  ];
}

export function presentSender(row: MessageSenderRow): z.output<typeof senderObject> {
  const { id, channel, sender, status, rejection_reason, sandbox, created_at, decided_at } = row;
  return {
    ...{ id, channel, sender, status, rejection_reason, sandbox },
    created_at: isoTime(created_at),
    decided_at: isoTime(decided_at),
  };
}
