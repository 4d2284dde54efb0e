import { z } from 'zod';
import { transferObject, type TransferObject } from '../../../core/model/objects/transfer.js';
import { TRANSFER_TARGETS, TRANSFER_TYPES } from '../../../core/model/call/transfer.js';
import type { TransferCall } from '../../../core/services/calls/transfer-call.js';
import { LEG_REFUSALS } from '../../../core/services/dialling/refusals.js';
import { controllerOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { callParams, cursorList, cursorQuery, destination, idParam } from '../../http/schema/schemas.js';
import { LIVE_CALL_ERRORS } from './call-control.js';

const TAG = 'Transfers';

const transferBody = z.strictObject({
  type: z
    .enum(TRANSFER_TYPES)
    .describe(
      '`blind`: the customer is connected as soon as the target answers; `attended`: the agent talks to the target first',
    ),
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
      'Connects the customer to the target and hangs up the agent. If the target is still ringing, the transfer continues as a blind transfer.',
  },
  cancel: {
    operationId: 'cancelTransfer',
    summary: 'Cancel a transfer',
    summaryAr: 'إلغاء تحويل',
    description: 'Hangs up the target and reconnects the customer to the agent.',
  },
} as const;

export function transferRoutes({ transfers }: { readonly transfers: TransferCall }): Route[] {
  const writing = { method: 'POST', tag: TAG, scope: 'calls:write', keyKind: 'any', flag: 'transfer' } as const;
  const step = (how: 'complete' | 'cancel'): Route =>
    route({
      ...writing,
      ...STEPS[how],
      ownRows: true,
      path: `/v1/calls/:call_id/transfers/:transfer_id/${how}`,
      params: transferParams,
      responses: {
        200: {
          schema: transferObject,
          description: 'The transfer after the request. Repeating the request has no effect',
        },
      },
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
      ownRows: true,
      summary: 'Transfer a call',
      summaryAr: 'تحويل مكالمة',
      description:
        'Rings `to` while the customer hears music. If the transfer fails, the customer is reconnected to the agent. A call without an agent supports only blind transfers. ' +
        'A transfer to a queue, by its ID, is always `blind`: the customer enters the queue immediately and waits like any caller. ' +
        '`call.transferred` reports completion; the target is then the call’s agent.',
      params: callParams,
      body: transferBody,
      auditFields: ['type'],
      responses: { 202: { schema: transferObject, description: 'The transfer; the target is about to ring' } },
      errors: [
        ...LIVE_CALL_ERRORS,
        'CALL_NOT_ANSWERED',
        'INVALID_PHONE_NUMBER',
        ...LEG_REFUSALS,
        'TRANSFER_TARGET_INVALID',
        'TRANSFER_IN_PROGRESS',
        'CALL_ALREADY_IN_CONFERENCE',
        'TRANSFER_LIMIT_REACHED',
      ],
      // A retry must not ring the target again.
      recover: async ({ requestId }, { caller }) => {
        const begun = await transfers.begunBy(caller.projectId, caller.id, requestId);
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
      ownRows: true,
      summary: 'List the transfers of a call',
      summaryAr: 'عرض عمليات تحويل المكالمة',
      description: 'The transfers of the call, oldest first.',
      params: callParams,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(transferObject), description: 'One page of transfers' } },
      errors: ['CALL_NOT_FOUND'],
      handler: async (ctx) => {
        const { cursor, limit } = ctx.query;
        const after = ctx.cursors.read(cursor);
        const at = ({ transfer_id }: TransferObject) => transfer_id;
        // A call has few transfers.
        const all = await transfers.list(scopeOf(ctx), ctx.params.call_id);
        const rows = all.filter((row) => after === null || at(row) > after);
        return { status: 200, body: cursorPage(rows, limit, ctx.cursors, at, (row) => row) };
      },
    }),
    step('complete'),
    step('cancel'),
  ];
}
