import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { EndpointEditor } from '../../../core/data/repositories/webhooks/webhooks.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { Cipher } from '../../../core/model/access/cipher.js';
import { EVENT_PATTERNS } from '../../../core/model/events/index.js';
import { isoTime } from '../../../core/model/time.js';
import type { EndpointView, WebhookEndpoints } from '../../../core/services/webhooks/endpoints.js';
import { projectSecret } from '../../../core/services/webhooks/secret.js';
import { cursorPage } from '../../http/paging.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { seesNumbers } from '../../http/unmask.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface WebhookRoutesServices {
  readonly endpoints: WebhookEndpoints;
  readonly cipher: Cipher;
}

export const TAG = 'Webhooks';

export const eventPattern = z.enum(EVENT_PATTERNS).meta({
  id: 'EventPattern',
  description: 'One event, a whole family (`call.*`), or everything (`*`)',
});
export const patterns = z.array(eventPattern).min(1).max(EVENT_PATTERNS.length);
const url = z
  .string()
  .min(1)
  .max(2048)
  .meta({ examples: ['https://example.com/hatif'] });
const description = z.string().trim().max(255);
const includeCustomerNumber = z
  .boolean()
  .describe('Whether messages have the customer’s full number, `customer_number`, beside the masked one');
const endpointStatus = z.enum(['enabled', 'disabled']);

export const endpoint = z
  .strictObject({
    id: idOutput,
    sandbox: z.boolean().describe('Created by a sandbox key: receives sandbox events, otherwise live ones'),
    url,
    events: z.array(eventPattern),
    description: z.string().nullable(),
    include_customer_number: includeCustomerNumber,
    status: endpointStatus,
    disabled_reason: z
      .enum(['requested', 'gone', 'failing'])
      .nullable()
      .describe('`gone`: the endpoint answered 410. `failing`: nothing was delivered for five days.'),
    failing_since: timeOutput.nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'WebhookEndpoint' });

const secret = z
  .string()
  .nullable()
  .meta({ examples: ['whsec_…'], description: 'Shown only once; null in the answer to an idempotent repeat.' });
const endpointWithSecret = endpoint.extend({ secret }).meta({ id: 'WebhookEndpointWithSecret' });

export const endpointParams = z.strictObject({ webhook_id: idParam('WEBHOOK_NOT_FOUND') });

export function webhookRoutes({ endpoints, cipher }: WebhookRoutesServices): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/webhooks',
      operationId: 'createWebhook',
      summary: 'Create a webhook endpoint',
      summaryAr: 'إنشاء نقطة Webhook لاستقبال الأحداث',
      description:
        'Before the endpoint is created, Hatif sends a `webhook.verify` event to the URL, which must answer `{"challenge": "<data.challenge>"}`. The answer contains the secret that signs every message (Standard Webhooks); it is not shown again. An endpoint has the kind of the key: one of a live key receives live events, one of a sandbox key sandbox events. Only keys of this kind change it. With `include_customer_number`, which needs the scope `pii:read`, the data of calls and voicemail messages has `customer_number`.',
      tag: TAG,
      scope: 'webhooks:write',
      keyKind: 'any',
      body: z.strictObject({
        url,
        events: patterns,
        description: description.nullish(),
        include_customer_number: includeCustomerNumber.default(false),
      }),
      secretFields: ['secret'],
      auditFields: ['url', 'events', 'include_customer_number'],
      responses: { 201: { schema: endpointWithSecret, description: 'The endpoint and its secret' } },
      errors: [
        'WEBHOOK_URL_INVALID',
        'WEBHOOK_URL_DUPLICATE',
        'WEBHOOK_LIMIT_EXCEEDED',
        'WEBHOOK_UNREACHABLE',
        'WEBHOOK_VERIFICATION_FAILED',
      ],
      handler: async ({ caller, body }) => {
        const made = await endpoints.create(editorOf(caller), { ...body, description: body.description ?? null });
        return { status: 201, body: { ...presentEndpoint(made.endpoint), secret: made.secret } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/webhooks',
      operationId: 'listWebhooks',
      summary: 'List webhook endpoints',
      summaryAr: 'عرض نقاط Webhook',
      description:
        'Oldest first. A project has at most five endpoints of each kind, so one page holds them all. A live key also sees those of the sandbox.',
      tag: TAG,
      scope: 'webhooks:read',
      keyKind: 'any',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(endpoint), description: 'The endpoints' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const after = cursors.read(query.cursor);
        const rows = (await endpoints.list(scopeOf({ caller }))).filter((row) => after === null || row.id > after);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, (row) => row.id, presentEndpoint) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/webhooks/secret',
      operationId: 'getProjectSigningSecret',
      summary: 'Get the project’s signing secret',
      summaryAr: 'عرض مفتاح التوقيع السري للمشروع',
      description:
        'Signs the messages to a call’s own `webhook_url` and the requests of call flows. Live and sandbox calls have different secrets; a key gets that of its own kind.',
      tag: TAG,
      scope: 'webhooks:read',
      keyKind: 'any',
      responses: {
        200: {
          schema: z.strictObject({ secret: z.string().meta({ examples: ['whsec_…'] }) }).meta({ id: 'SigningSecret' }),
          description: 'The secret',
          headers: { 'Cache-Control': 'no-store' },
        },
      },
      errors: [],
      handler: ({ caller }) => ({
        status: 200,
        body: { secret: projectSecret(cipher.open(caller.project.signing_secret), caller.sandbox) },
        headers: { 'Cache-Control': 'no-store' },
      }),
    }),
    route({
      method: 'GET',
      path: '/v1/webhooks/:webhook_id',
      operationId: 'getWebhook',
      summary: 'Get a webhook endpoint',
      summaryAr: 'عرض نقطة Webhook',
      tag: TAG,
      scope: 'webhooks:read',
      keyKind: 'any',
      params: endpointParams,
      responses: { 200: { schema: endpoint, description: 'The endpoint' } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handler: async ({ caller, params }) => ({
        status: 200,
        body: presentEndpoint(await endpoints.get(scopeOf({ caller }), params.webhook_id)),
      }),
    }),
    route({
      method: 'PATCH',
      path: '/v1/webhooks/:webhook_id',
      operationId: 'updateWebhook',
      summary: 'Change a webhook endpoint',
      summaryAr: 'تعديل نقطة Webhook',
      description:
        'A changed URL is verified like a new one. Disabling an endpoint moves its pending deliveries to the dead letters, and nothing is queued until it is enabled again; use a replay to send the missed events. A key without the scope `pii:read` can turn `include_customer_number` off, but not on, and cannot change the URL while it is on (`INSUFFICIENT_PERMISSIONS`).',
      tag: TAG,
      scope: 'webhooks:write',
      keyKind: 'any',
      params: endpointParams,
      body: z.strictObject({
        url: url.optional(),
        events: patterns.optional(),
        description: description.nullable().optional(),
        include_customer_number: includeCustomerNumber.optional(),
        status: endpointStatus.optional(),
      }),
      auditFields: ['url', 'events', 'include_customer_number', 'status'],
      responses: { 200: { schema: endpoint, description: 'The endpoint as it is now' } },
      errors: [
        'WEBHOOK_NOT_FOUND',
        'WEBHOOK_URL_INVALID',
        'WEBHOOK_URL_DUPLICATE',
        'WEBHOOK_UNREACHABLE',
        'WEBHOOK_VERIFICATION_FAILED',
      ],
      handler: async ({ caller, params, body }) => ({
        status: 200,
        body: presentEndpoint(await endpoints.update(editorOf(caller), params.webhook_id, body)),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/webhooks/:webhook_id',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook endpoint',
      summaryAr: 'حذف نقطة Webhook',
      description: 'Pending deliveries are dropped, and the endpoint’s delivery log is deleted.',
      tag: TAG,
      scope: 'webhooks:write',
      keyKind: 'any',
      params: endpointParams,
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handler: async ({ caller, params }) => {
        await endpoints.remove(caller, params.webhook_id);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks/:webhook_id/test',
      operationId: 'testWebhook',
      summary: 'Send a test message',
      summaryAr: 'إرسال رسالة تجريبية',
      description:
        'Sends a signed `webhook.verify` with `data.test: true` immediately and returns the result. It is not retried.',
      tag: TAG,
      scope: 'webhooks:write',
      keyKind: 'any',
      params: endpointParams,
      responses: {
        200: {
          schema: z
            .strictObject({
              webhook_id: idOutput,
              delivered: z.boolean(),
              status_code: z.int().nullable(),
              error: z.string().nullable(),
              duration_ms: z.int(),
            })
            .meta({ id: 'WebhookTest' }),
          description: 'Result of the delivery attempt',
        },
      },
      errors: ['WEBHOOK_NOT_FOUND'],
      handler: async ({ caller, params }) => {
        const tested = await endpoints.test(caller, params.webhook_id);
        const { webhookId: webhook_id, delivered, statusCode: status_code, error, durationMs: duration_ms } = tested;
        return { status: 200, body: { webhook_id, delivered, status_code, error, duration_ms } };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/webhooks/:webhook_id/rotate-secret',
      operationId: 'rotateWebhookSecret',
      summary: 'Rotate the signing secret',
      summaryAr: 'تدوير مفتاح التوقيع السري',
      description: 'For 24 hours, messages carry two signatures: one by the new secret and one by the old.',
      tag: TAG,
      scope: 'webhooks:write',
      keyKind: 'any',
      params: endpointParams,
      secretFields: ['secret'],
      responses: { 200: { schema: endpointWithSecret, description: 'The endpoint and its new secret' } },
      errors: ['WEBHOOK_NOT_FOUND'],
      handler: async ({ caller, params }) => {
        const made = await endpoints.rotateSecret(caller, params.webhook_id);
        return { status: 200, body: { ...presentEndpoint(made.endpoint), secret: made.secret } };
      },
    }),
  ];
}

function editorOf(caller: Caller): EndpointEditor {
  return { ...kindOf({ caller }), seesNumbers: seesNumbers(caller) };
}

function presentEndpoint(row: EndpointView): z.input<typeof endpoint> {
  return {
    id: row.id,
    sandbox: row.sandbox,
    url: row.url,
    events: [...row.events],
    description: row.description,
    include_customer_number: row.include_customer_number,
    status: row.status,
    disabled_reason: row.disabled_reason as z.input<typeof endpoint>['disabled_reason'],
    failing_since: isoTime(row.failing_since),
    created_at: isoTime(row.created_at),
  };
}
