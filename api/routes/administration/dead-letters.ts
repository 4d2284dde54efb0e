import { z } from 'zod';
import type { DeadLetter } from '../../../core/data/repositories/webhooks/webhook-deliveries.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import type { OperateWebhooks } from '../../../core/services/webhooks/operate.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { delivery, presentDelivery } from '../webhooks/webhook-deliveries.js';
import { reading, writing } from './administrator.js';
import { noteOf, ownerFields, ownerIn } from './owned.js';

const letter = delivery
  .extend({ ...ownerFields, webhook_id: idOutput.describe('The endpoint') })
  .meta({ id: 'DeadLetter' });

/** Webhooks that were given up. */
export function deadLetterRoutes({
  webhooks,
}: {
  readonly webhooks: Pick<OperateWebhooks, 'deadLetters' | 'sendAgain'>;
}): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/dead-letters',
      operationId: 'listDeadLetters',
      summary: 'List the webhooks that were given up',
      summaryAr: 'عرض إشعارات Webhook التي توقفت محاولات تسليمها',
      description: 'Deliveries of all organizations whose attempts all failed, newest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(letter), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit }, cursors }) => {
        const rows = await webhooks.deadLetters(cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/dead-letters/:id/redeliver',
      operationId: 'redeliverDeadLetter',
      summary: 'Retry a webhook that was given up',
      summaryAr: 'إعادة تسليم إشعار Webhook',
      description: 'Sends it now, with the same `webhook-id`. Its endpoint must be enabled.',
      params: z.strictObject({ id: idParam('WEBHOOK_NOT_FOUND') }),
      responses: { 202: { schema: letter, description: 'The delivery, queued for sending' } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handler: async ({ params: { id }, note }) => {
        const row = await webhooks.sendAgain(id);
        note(noteOf(row, { webhook_id: row.endpoint_id }));
        return { status: 202, body: present(row) };
      },
    }),
  ];
}

function present(row: DeadLetter): z.output<typeof letter> {
  return { ...delivery.parse(presentDelivery(row)), ...ownerIn(row), webhook_id: row.endpoint_id ?? '' };
}
