import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { DeliveryView } from '../../../core/data/repositories/webhooks/webhook-deliveries.js';
import { isoTime } from '../../../core/model/time.js';
import type { DeliveryLog } from '../../../core/services/webhooks/delivery-log.js';
import { cursorPage } from '../../http/paging.js';
import { scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, fromBeforeTo, idParam, timeInput } from '../../http/schema/schemas.js';
import { endpointParams, patterns, TAG } from './webhooks.js';

export const delivery = z
  .strictObject({
    id: idOutput,
    event_id: idOutput.describe('Sent to the receiver as `webhook-id`'),
    type: z.string(),
    call_id: idOutput.nullable(),
    sequence: z.int().nullable(),
    status: z.enum(['pending', 'delivered', 'dead']),
    next_attempt_at: timeOutput.nullable(),
    created_at: timeOutput,
    delivered_at: timeOutput.nullable(),
    last_error: z
      .string()
      .nullable()
      .meta({ examples: ['http_503', 'timeout', 'redirect_refused'] }),
    attempts: z.array(
      z.strictObject({
        at: timeOutput,
        status_code: z.int().nullable(),
        error: z.string().nullable(),
        duration_ms: z.int(),
      }),
    ),
  })
  .meta({ id: 'WebhookDelivery' });

const deliveryParams = endpointParams.extend({ delivery_id: idParam('WEBHOOK_NOT_FOUND') });

export function webhookDeliveryRoutes(deliveries: DeliveryLog): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/webhooks/:webhook_id/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'List deliveries',
      summaryAr: 'عرض عمليات التسليم',
      description: 'Newest first, each with its attempts.',
      tag: TAG,
      scope: 'webhooks:read',
      keyKind: 'any',
      params: endpointParams,
      query: z.strictObject({ ...cursorQuery, status: z.enum(['pending', 'delivered', 'dead']).optional() }),
      responses: { 200: { schema: cursorList(delivery), description: 'One page of deliveries' } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handler: async ({ caller, params, query, cursors }) => {
        const scope = { ...scopeOf({ caller }), endpointId: params.webhook_id };
        const beforeId = cursors.read(query.cursor);
        const page = { status: query.status ?? null, beforeId, limit: query.limit + 1 };
        const rows = await deliveries.list(scope, page);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, (row) => row.id, presentDelivery) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
      operationId: 'redeliverWebhook',
      summary: 'Retry a delivery',
      summaryAr: 'إعادة تسليم حدث',
      description: 'Sends the delivery now, whatever its status, with the same `webhook-id`.',
      tag: TAG,
      scope: 'webhooks:write',
      keyKind: 'any',
      params: deliveryParams,
      responses: { 202: { schema: delivery, description: 'The delivery, queued for sending' } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handler: async ({ caller, params }) => {
        const scope = { ...scopeOf({ caller }), endpointId: params.webhook_id };
        return { status: 202, body: presentDelivery(await deliveries.redeliver(scope, params.delivery_id)) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks/:webhook_id/replay',
      operationId: 'replayWebhooks',
      summary: 'Replay undelivered events',
      summaryAr: 'إعادة إرسال ما لم يُسلَّم',
      description:
        'Resends the dead letters of a period and the events of that period that were never sent to the endpoint (it did not exist, was disabled or was not subscribed). Events that it received are not sent again. `complete: false` means that more remain: repeat the request.',
      tag: TAG,
      scope: 'webhooks:write',
      keyKind: 'any',
      flag: 'dlq_replay',
      params: endpointParams,
      body: z
        .strictObject({
          from: timeInput().describe('Events at or after this time'),
          to: timeInput().optional().describe('Events before this time; now by default'),
          events: patterns.optional().describe('Defaults to the endpoint’s subscriptions'),
        })
        .refine(...fromBeforeTo),
      auditFields: ['from', 'to', 'events'],
      responses: {
        202: {
          schema: z
            .strictObject({ revived: z.int(), added: z.int(), complete: z.boolean() })
            .meta({ id: 'WebhookReplay' }),
          description: 'Number of dead letters and missed events that were queued',
        },
      },
      errors: ['WEBHOOK_NOT_FOUND', 'DLQ_REPLAY_BROKER_UNAVAILABLE'],
      handler: async ({ caller, params, body }) => {
        const scope = { ...scopeOf({ caller }), endpointId: params.webhook_id };
        const period = { from: body.from, to: body.to ?? null, events: body.events ?? null };
        return { status: 202, body: await deliveries.replay(scope, period) };
      },
    }),
  ];
}

export function presentDelivery(row: DeliveryView): z.input<typeof delivery> {
  return {
    id: row.id,
    event_id: row.event_id,
    type: row.type,
    call_id: row.call_id,
    sequence: row.sequence,
    status: row.status,
    next_attempt_at: row.status === 'pending' ? isoTime(row.next_attempt_at) : null,
    created_at: isoTime(row.created_at),
    delivered_at: isoTime(row.delivered_at),
    last_error: row.last_error,
    attempts: row.tries.map((attempt) => ({ ...attempt, at: isoTime(new Date(attempt.at)) })),
  };
}
