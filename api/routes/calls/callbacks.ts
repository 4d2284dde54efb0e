import { z } from 'zod';
import { customerNumber, idOutput, maskedNumber, timeOutput } from '../../../core/model/objects/fields.js';
import { CALL_STATUSES, DISPOSITIONS } from '../../../core/model/call/call.js';
import type { CancelCallback } from '../../../core/services/callbacks/cancel.js';
import type { PlaceCallback } from '../../../core/services/callbacks/place.js';
import { presentCallback, presentPlaced } from '../../../core/services/callbacks/present.js';
import type { ReadCallbacks } from '../../../core/services/callbacks/read.js';
import type { ReadCalls } from '../../../core/services/calls/read.js';
import { LEG_REFUSALS } from '../../../core/services/dialling/refusals.js';
import { SANDBOX_REFUSALS } from '../../../core/services/sandbox/destinations.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { controllerOf, ownAgentOf } from '../../http/caller.js';
import { skills } from '../../http/schema/skills.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import {
  idInput,
  idParam,
  metadata,
  numberedList,
  pageQuery,
  phoneNumber,
  timeInput,
} from '../../http/schema/schemas.js';

export interface CallbackRoutesServices {
  readonly place: PlaceCallback;
  readonly read: ReadCallbacks;
  readonly cancel: CancelCallback;
  readonly calls: Pick<ReadCalls, 'placedBy'>;
}

const TAG = 'Callbacks';

const summaryFields = {
  callback_id: idOutput,
  status: z.enum(CALL_STATUSES),
  customer_number_masked: maskedNumber,
  customer_number: customerNumber,
  queue_id: z.string().nullable(),
  created_at: timeOutput,
  answered_at: timeOutput.nullable(),
  ended_at: timeOutput.nullable(),
  duration_seconds: z.int().nullable(),
  disposition: z.enum(DISPOSITIONS).nullable(),
};

const summary = z.strictObject(summaryFields).meta({ id: 'CallbackSummary' });

const callback = z
  .strictObject({
    ...summaryFields,
    call_id: idOutput.describe('The call; the same id'),
    sandbox: z.boolean(),
    line_number: z.string().nullable(),
    agent: z.string().nullable(),
    ringing_at: timeOutput.nullable(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Callback' });

const placed = z
  .strictObject({
    callback_id: idOutput,
    call_id: idOutput.describe('The call; the same id'),
    status: z.enum(CALL_STATUSES),
    sandbox: z.boolean(),
    queue_id: z.string().nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'PlacedCallback' });

const ONE_QUEUE = bilingual(
  'only one of queue_id and from_queue can be given',
  'يُقبل واحد فقط من `queue_id` و`from_queue`',
);

const NO_QUEUE = bilingual(
  'can only be given with queue_id or from_queue',
  'لا يُقبل إلا مع `queue_id` أو `from_queue`',
);
const NOT_WITH_QUEUE = bilingual('is not combined with a queue', 'لا يُجمع مع قائمة انتظار');

const placeBody = z
  .strictObject({
    to: phoneNumber().describe('The customer'),
    queue_id: idInput.optional().describe('Queue whose agents call the customer'),
    from_queue: z.string().min(1).max(64).optional().describe('Name of the queue, instead of its ID'),
    required_skills: skills
      .optional()
      .describe('Lowest level by skill that the agent needs, besides those that the queue requires'),
    callflow_id: idInput
      .optional()
      .describe(
        'Active flow that the customer reaches after the answer, instead of the project’s default destination; not with a queue',
      ),
    caller_id_number: phoneNumber()
      .optional()
      .describe('A number of your organization; the project’s main number by default'),
    caller_id_name: z.string().trim().min(1).max(64).optional(),
    webhook_url: z
      .string()
      .max(2048)
      .optional()
      .describe(
        'HTTPS URL of an additional receiver for the events of this callback, signed with the secret of `GET /v1/webhooks/secret`',
      ),
    metadata: metadata.default({}),
  })
  .superRefine((given, ctx) => {
    const both = given.queue_id !== undefined && given.from_queue !== undefined;
    if (both) ctx.addIssue({ code: 'custom', path: ['from_queue'], message: ONE_QUEUE });
    const hasQueue = given.queue_id !== undefined || given.from_queue !== undefined;
    if (!hasQueue && given.required_skills !== undefined)
      ctx.addIssue({ code: 'custom', path: ['required_skills'], message: NO_QUEUE });
    if (hasQueue && given.callflow_id !== undefined)
      ctx.addIssue({ code: 'custom', path: ['callflow_id'], message: NOT_WITH_QUEUE });
  });

const listQuery = z.strictObject({
  status: z.enum(CALL_STATUSES).optional(),
  queue_id: z.string().max(255).optional().describe('Only callbacks placed for this queue'),
  from: timeInput().optional().describe('Created at or after; seven days before now by default'),
  to: timeInput().optional().describe('Created at or before; now by default'),
  ...pageQuery,
});

const params = z.strictObject({ callback_id: idParam('CALLBACK_NOT_FOUND') });

export function callbackRoutes({ place, read, cancel, calls }: CallbackRoutesServices): Route[] {
  const scopeOf = ({ caller }: RouteContext<'any'>) => ({
    organizationId: caller.organizationId,
    projectIds: caller.user?.projectIds ?? null,
    sandboxOnly: caller.sandbox,
    agent: ownAgentOf(caller),
  });
  return [
    route({
      method: 'POST',
      path: '/v1/callback',
      operationId: 'placeCallback',
      summary: 'Call a customer back',
      summaryAr: 'معاودة الاتصال بعميل',
      description:
        'With a queue, one of its agents is rung first, and the customer after the agent’s answer. If the queue’s `callback_mode` is ' +
        '`customer_first`, the customer is rung first and waits in the queue. Status, times and duration refer to the customer’s leg: while the agent ' +
        'rings, the callback is `initiated`; if no agent answers within `max_wait_seconds`, it ends as `timeout`. Without a queue, the customer ' +
        'is rung and, after the answer, connected to the flow `callflow_id` or else to the project’s default destination. A callback is a call of kind `callback`, with the events, timeline and control of a call. With a sandbox key, the built-in simulator runs the ' +
        'call: no phone rings, nothing is charged, and only the sandbox’s own numbers, and those that you verified, can be called: `+966500000001` answers, …`002` does not, …`003` is busy, …`004` fails ([all of them](/docs/guide/reference/callbacks#sandbox-numbers)). A sandbox key runs flows of the sandbox.',
      tag: TAG,
      scope: 'calls:write',
      keyKind: 'any',
      body: placeBody,
      auditFields: ['to'],
      responses: { 202: { schema: placed, description: 'The callback, about to ring' } },
      errors: [
        'CLI_NOT_OWNED',
        'INVALID_PHONE_NUMBER',
        'WEBHOOK_URL_INVALID',
        ...LEG_REFUSALS,
        'CALL_FAILED',
        ...SANDBOX_REFUSALS,
        'SANDBOX_INVALID_QUEUE',
        'SANDBOX_QUEUE_UNAVAILABLE',
      ],
      simulates: ['invalid_queue', 'queue_unavailable', 'invalid_number', 'credits', 'velocity'],
      // A retry must not ring the customer again.
      recover: async ({ requestId, startedAt }, { caller }) => {
        const made = await calls.placedBy(caller.projectId, caller.id, requestId, startedAt);
        return made && { status: 202, body: presentPlaced(made.call) };
      },
      handler: async ({ body, caller, requestId }) => {
        const { queue_id: id, from_queue: name } = body;
        const request = {
          to: body.to,
          callflowId: body.callflow_id ?? null,
          queue: id !== undefined ? { id } : name !== undefined ? { name } : null,
          requiredSkills: body.required_skills,
          callerIdNumber: body.caller_id_number ?? null,
          callerIdName: body.caller_id_name ?? null,
          webhookUrl: body.webhook_url ?? null,
          metadata: body.metadata,
        };
        const made = await place.place(request, {
          projectId: caller.projectId,
          organizationId: caller.organizationId,
          mainNumber: caller.project.main_number,
          defaultDestination: caller.project.default_destination,
          sandbox: caller.sandbox,
          keyId: caller.id,
          requestId,
        });
        return { status: 202, body: presentPlaced(made) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/callbacks',
      operationId: 'listCallbacks',
      ownRows: true,
      summary: 'List the organization’s callbacks, newest first',
      summaryAr: 'عرض طلبات معاودة الاتصال للمؤسسة من الأحدث إلى الأقدم',
      description:
        'Callbacks of the last seven days unless `from` and `to` are given. A sandbox key sees only sandbox callbacks.',
      tag: TAG,
      scope: 'calls:read',
      keyKind: 'any',
      query: listQuery,
      responses: { 200: { schema: numberedList(summary), description: 'One page' } },
      errors: [],
      handler: async (ctx) => {
        const { status, queue_id: queueId, from, to, page, page_size } = ctx.query;
        const { items, total } = await read.page(scopeOf(ctx), { status, queueId, from, to }, page, page_size);
        return { status: 200, body: { data: items, total_count: total, page, page_size } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/callbacks/:callback_id',
      operationId: 'getCallback',
      ownRows: true,
      summary: 'Read a callback',
      summaryAr: 'قراءة طلب معاودة اتصال',
      tag: TAG,
      scope: 'calls:read',
      keyKind: 'any',
      params,
      responses: { 200: { schema: callback, description: 'The callback as it is now' } },
      errors: ['CALLBACK_NOT_FOUND'],
      handler: async (ctx) => ({ status: 200, body: await read.get(scopeOf(ctx), ctx.params.callback_id) }),
    }),
    route({
      method: 'DELETE',
      path: '/v1/callbacks/:callback_id',
      operationId: 'cancelCallback',
      ownRows: true,
      summary: 'Cancel a callback',
      summaryAr: 'إلغاء طلب معاودة اتصال',
      description:
        'Possible while the callback is `initiated` or `ringing`, with a key of its own project. `call.cancelled` is sent, and a ringing agent is free immediately. To end an answered callback, ' +
        'use `POST /v1/calls/{call_id}/hangup`.',
      tag: TAG,
      scope: 'calls:write',
      keyKind: 'any',
      params,
      responses: { 200: { schema: callback, description: 'The cancelled callback' } },
      errors: [
        'CALLBACK_NOT_FOUND',
        'CALLBACK_ALREADY_CANCELLED',
        'CALLBACK_NOT_CANCELLABLE',
        'CALL_NOT_CONTROLLABLE',
        'CALL_CONTROL_FAILED',
      ],
      handler: async (ctx) => {
        const canceller = { ...scopeOf(ctx), ...controllerOf(ctx) };
        return { status: 200, body: presentCallback(await cancel.cancel(ctx.params.callback_id, canceller)) };
      },
    }),
  ];
}
