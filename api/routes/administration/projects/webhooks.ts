import { z } from 'zod';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { OperateWebhooks } from '../../../../core/services/webhooks/operate.js';
import { cursorPage } from '../../../http/paging.js';
import { route, type Route } from '../../../http/route.js';
import { cursorList, cursorQuery } from '../../../http/schema/schemas.js';
import { endpoint } from '../../webhooks/webhooks.js';
import { reading, writing } from '../administrator.js';
import { noteOn, paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const STATUSES = ['pending', 'delivered', 'dead'] as const;

const endpointObject = endpoint
  .extend({
    project_id: idOutput,
    previous_secret_expires_at: timeOutput.nullable().describe('Until when the secret before the rotation also signs'),
  })
  .meta({ id: 'AdministeredWebhookEndpoint' });

const deliveryObject = z
  .strictObject({
    id: idOutput,
    event_id: idOutput.describe('Sent to the receiver as `webhook-id`'),
    type: z.string(),
    project_id: idOutput,
    endpoint_id: idOutput.nullable(),
    url: z.string().nullable().describe('Of the receiver of a call’s own `webhook_url`'),
    lane: z.string().describe('Deliveries of one lane are sent in order'),
    call_id: idOutput.nullable(),
    sequence: z.int().nullable(),
    status: z.enum(STATUSES),
    attempts: z.int().describe('Since it was last queued'),
    tries: z.array(
      z.strictObject({
        at: timeOutput,
        status_code: z.int().nullable(),
        error: z.string().nullable(),
        duration_ms: z.int(),
      }),
    ),
    next_attempt_at: timeOutput,
    locked_until: timeOutput.nullable().describe('While a worker sends it'),
    created_at: timeOutput,
    delivered_at: timeOutput.nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'AdministeredWebhookDelivery' });

export interface AdministeredWebhooksServices {
  readonly find: FindProject;
  readonly webhooks: OperateWebhooks;
}

/** The webhook endpoints of projects, and what was sent to them. */
export function administeredWebhookRoutes({ find, webhooks }: AdministeredWebhooksServices): Route[] {
  return [
    route({
      ...reading,
      path: `${PROJECT}/webhooks`,
      operationId: 'listWebhooksOfProject',
      summary: 'List the webhook endpoints of a project',
      summaryAr: 'عرض نقاط Webhook لمشروع',
      description: 'Without their secrets, those of the sandbox included.',
      params: projectParams,
      responses: { 200: { schema: z.strictObject({ data: z.array(endpointObject) }), description: 'Every endpoint' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id } }) => {
        const rows = await webhooks.list(await find.get(project_id));
        // The table holds any text as a reason.
        return { status: 200, body: { data: toWire(rows) as z.input<typeof endpointObject>[] } };
      },
    }),
    route({
      ...reading,
      path: `${PROJECT}/webhooks/:webhook_id/deliveries`,
      operationId: 'listWebhookDeliveriesOfProject',
      summary: 'List the deliveries to an endpoint of a project',
      summaryAr: 'عرض عمليات التسليم إلى نقطة Webhook لمشروع',
      description: 'Newest first, each with its attempts.',
      params: paramsOf({ webhook_id: z.string() }),
      query: z.strictObject({ ...cursorQuery, status: z.enum(STATUSES).optional() }),
      responses: { 200: { schema: cursorList(deliveryObject), description: 'One page' } },
      errors: ['PROJECT_NOT_FOUND', 'WEBHOOK_NOT_FOUND'],
      handler: async ({ params: { project_id, webhook_id }, query: { cursor, limit, status = null }, cursors }) => {
        const project = await find.get(project_id);
        const before = cursors.read(cursor);
        const rows = await webhooks.deliveriesBefore(project, webhook_id, status, before, limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, toWire) };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/webhooks/:webhook_id/deliveries/:delivery_id/redeliver`,
      operationId: 'redeliverWebhookOfProject',
      summary: 'Retry a delivery of a project',
      summaryAr: 'إعادة تسليم حدث لمشروع',
      description:
        'Sends the delivery now, whatever its status, with the same `webhook-id`. Its endpoint must be enabled.',
      params: paramsOf({ webhook_id: z.string(), delivery_id: z.string() }),
      responses: { 202: { schema: deliveryObject, description: 'The delivery, queued for sending' } },
      errors: ['PROJECT_NOT_FOUND', 'WEBHOOK_NOT_FOUND'],
      handler: async ({ params: { project_id, webhook_id, delivery_id }, note }) => {
        const project = await find.get(project_id);
        const row = await webhooks.redeliver(project, webhook_id, delivery_id, 'request');
        note(noteOn(project, { webhook_id: row.endpoint_id, delivery_id: row.id }));
        return { status: 202, body: toWire(row) };
      },
    }),
  ];
}
