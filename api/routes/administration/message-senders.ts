import { z } from 'zod';
import type { MessageSenderRow } from '../../../core/data/rows.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import type { ReviewSenders } from '../../../core/services/messaging/reviewing/review-senders.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery } from '../../http/schema/schemas.js';
import { presentSender, senderObject } from '../messaging/senders.js';
import { reading, writing } from './administrator.js';
import { noteOf, ownerFields, ownerIn } from './owned.js';

const sender = senderObject
  .extend({ ...ownerFields, created_by_key: idOutput, request_id: z.string() })
  .meta({ id: 'AdministeredMessageSender' });
const params = z.strictObject({ sender_id: z.string() });

/** The review of the names under which organizations send messages. */
export function administeredSenderRoutes({ senders }: { readonly senders: ReviewSenders }): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/message-senders',
      operationId: 'listAdministeredSenders',
      summary: 'List the message senders of all organizations',
      summaryAr: 'عرض أسماء المُرسِلين لجميع المؤسسات',
      description: 'Newest first, without those of sandboxes.',
      query: z.strictObject({ ...cursorQuery, status: senderObject.shape.status.optional() }),
      responses: { 200: { schema: cursorList(sender), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit, status = null }, cursors }) => {
        const rows = await senders.page(status, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/message-senders/:sender_id/approve',
      operationId: 'approveSender',
      summary: 'Approve a message sender',
      summaryAr: 'اعتماد اسم مُرسِل',
      description: 'Messages may be sent under it from now on. Register it with the carriers first.',
      params,
      responses: { 200: { schema: sender, description: 'The sender as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { sender_id }, note }) => {
        const row = await senders.approve(sender_id);
        note(noteOf(row, { status: row.status }));
        return { status: 200, body: present(row) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/message-senders/:sender_id/reject',
      operationId: 'rejectSender',
      summary: 'Reject a message sender',
      summaryAr: 'رفض اسم مُرسِل',
      description: 'The organization sees the reason. This also takes back an approval.',
      params,
      body: z.strictObject({ reason: z.string().trim().min(1).max(500).nullable().default(null) }),
      auditFields: ['reason'],
      responses: { 200: { schema: sender, description: 'The sender as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { sender_id }, body: { reason }, note }) => {
        const row = await senders.reject(sender_id, reason);
        note(noteOf(row, { status: row.status }));
        return { status: 200, body: present(row) };
      },
    }),
  ];
}

function present(row: MessageSenderRow): z.output<typeof sender> {
  const { created_by_key, request_id } = row;
  return { ...presentSender(row), ...ownerIn(row), created_by_key, request_id };
}
