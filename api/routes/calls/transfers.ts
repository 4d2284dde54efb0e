import { z } from 'zod';
import { transferObject } from '../../../core/model/objects/transfer.js';
import { TRANSFER_TARGETS, TRANSFER_TYPES } from '../../../core/model/call/transfer.js';
import type { TransferCall } from '../../../core/services/calls/transfer-call.js';
import { controllerOf, scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { callParams, destination, idParam } from '../../http/schema/schemas.js';
import { LIVE_CALL_ERRORS } from './call-control.js';

const TAG = 'Transfers';

const transferBody = z.strictObject({
  type: z
    .enum(TRANSFER_TYPES)
    .describe('`blind`: the target gets the customer as soon as it answers; `attended`: the agent talks to it first'),
  to: destination(TRANSFER_TARGETS),
  ring_timeout_seconds: z.int().min(5).max(120).default(30),
});

const transferParams = callParams.extend({ transfer_id: idParam('NOT_FOUND') });

const STEPS = {
  complete: {
    operationId: 'completeTransfer',
    summary: 'Complete a transfer',
    summaryAr: 'إتمام تحويل',
    description:
      'Joins customer and target, and lets the agent go. While the target still rings the agent is let go at once, and the transfer goes on as a blind one.',
  },
  cancel: {
    operationId: 'cancelTransfer',
    summary: 'Cancel a transfer',
    summaryAr: 'إلغاء تحويل',
    description: 'The target is let go, and the customer is back with the agent.',
  },
} as const;

export function transferRoutes({ transfers }: { readonly transfers: TransferCall }): Route[] {
  const writing = { method: 'POST', tag: TAG, scope: 'calls:write', keyKind: 'any', flag: 'transfer' } as const;
  const step = (how: 'complete' | 'cancel'): Route =>
    route({
      ...writing,
      ...STEPS[how],
      path: `/v1/calls/:call_id/transfers/:transfer_id/${how}`,
      params: transferParams,
      responses: { 200: { schema: transferObject, description: 'The transfer as it is then; a repeat does nothing' } },
      errors: [...LIVE_CALL_ERRORS, 'NOT_FOUND'],
      handler: async (ctx) => {
        const { call_id, transfer_id } = ctx.params;
        return { status: 200, body: await transfers.finish(call_id, transfer_id, how, controllerOf(ctx)) };
      },
    });
  return [
    route({
      ...writing,
      path: '/v1/calls/:call_id/transfer',
      operationId: 'transferCall',
      summary: 'Transfer a call',
      summaryAr: 'تحويل مكالمة',
      description:
        'Rings `to` while the customer hears music. When that fails the customer is back with the agent. A call without an agent can only be transferred blindly. ' +
        'Into a queue, by its id, the customer goes at once (`blind` only), and waits there like any caller. ' +
        '`call.transferred` tells of the completion; the target is the call’s agent from then on.',
      params: callParams,
      body: transferBody,
      auditFields: ['type'],
      responses: { 202: { schema: transferObject, description: 'The transfer; the target is about to ring' } },
      errors: [
        ...LIVE_CALL_ERRORS,
        'CALL_NOT_ANSWERED',
        'INVALID_PHONE_NUMBER',
        'TRANSFER_TARGET_INVALID',
        'TRANSFER_IN_PROGRESS',
        'CALL_ALREADY_IN_CONFERENCE',
        'TRANSFER_LIMIT_REACHED',
      ],
      // A retry must not ring the target again.
      recover: async ({ requestId }, { key }) => {
        const begun = await transfers.begunBy(key.projectId, key.id, requestId);
        return begun && { status: 202, body: begun };
      },
      handler: async (ctx) => {
        const { type, to, ring_timeout_seconds: ringTimeoutSeconds } = ctx.body;
        const request = { type, to, ringTimeoutSeconds };
        return { status: 202, body: await transfers.start(ctx.params.call_id, request, controllerOf(ctx)) };
      },
    }),
    route({
      ...writing,
      method: 'GET',
      scope: 'calls:read',
      path: '/v1/calls/:call_id/transfers',
      operationId: 'listTransfers',
      summary: 'List the transfers of a call',
      summaryAr: 'عرض عمليات تحويل المكالمة',
      description: 'All of them in the order in which they were begun.',
      params: callParams,
      responses: { 200: { schema: z.strictObject({ data: z.array(transferObject) }), description: 'The transfers' } },
      errors: ['CALL_NOT_FOUND'],
      handler: async (ctx) => ({
        status: 200,
        body: { data: await transfers.list(scopeOf(ctx), ctx.params.call_id) },
      }),
    }),
    step('complete'),
    step('cancel'),
  ];
}
