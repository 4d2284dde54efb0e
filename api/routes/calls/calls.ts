import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { CALL_DIRECTIONS, CALL_KINDS, CALL_STATUSES } from '../../../core/model/call/call.js';
import { callObject } from '../../../core/model/objects/call.js';
import { SEND_DIGITS_PATTERN } from '../../../core/model/digits.js';
import type { CallFilter } from '../../../core/data/repositories/calls/calls.js';
import type { PlaceCall, PlaceRequest } from '../../../core/services/calls/place.js';
import { presentCall } from '../../../core/services/call-state/presenting/call.js';
import type { ReadCalls } from '../../../core/services/calls/read.js';
import { LEG_REFUSALS } from '../../../core/services/dialling/refusals.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { scopeOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { audioMembers, oneAudioSource, toAudioSource } from '../../http/schema/audio-source.js';
import {
  callParams,
  cursorList,
  destination,
  eitherPaging,
  fromBeforeTo,
  idInput,
  metadata,
  numberedList,
  phoneNumber,
  timeInput,
} from '../../http/schema/schemas.js';

export interface CallRoutesServices {
  readonly place: PlaceCall;
  readonly read: ReadCalls;
}

const TAG = 'Calls';

export const timelineEntry = z
  .strictObject({
    at: timeOutput,
    type: z.string().meta({ examples: ['call.answered', 'leg.ringing', 'control.hangup', 'webhook.delivered'] }),
    sequence: z
      .int()
      .nullable()
      .describe('For an event sent to webhooks, its position in the call’s sequence of events.'),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TimelineEntry' });

const ONE_OF = bilingual(
  'only one of callflow_id, connect and play can be given',
  'لا يُقبل أكثر من واحد من `callflow_id` و`connect` و`play`',
);
const NEEDS_RECORD = bilingual('needs record', 'يتطلب `record`');
const placeBody = z
  .strictObject({
    to: phoneNumber(),
    caller_id_number: phoneNumber()
      .optional()
      .describe('A number of your organization; the project’s main number by default'),
    caller_id_name: z.string().trim().min(1).max(64).optional(),
    callflow_id: idInput.optional().describe('ID of an active call flow'),
    connect: destination(['agent', 'number', 'sip', 'queue']).optional(),
    play: z.strictObject(audioMembers).superRefine(oneAudioSource).optional(),
    ring_timeout_seconds: z.int().min(5).max(120).default(45),
    max_duration_seconds: z.int().min(10).max(14_400).default(14_400),
    record: z.boolean().default(false).describe('Record both sides from the answer on'),
    transcribe: z.boolean().default(false).describe('Transcribe that recording after the call'),
    send_digits: z
      .string()
      .regex(SEND_DIGITS_PATTERN)
      .optional()
      .describe('DTMF digits sent after the answer; w waits half a second'),
    webhook_url: z
      .string()
      .max(2048)
      .optional()
      .describe(
        'HTTPS URL of an additional receiver for the events of this call, signed with the secret of `GET /v1/webhooks/secret`',
      ),
    metadata: metadata.default({}),
  })
  .superRefine((given, ctx) => {
    const programs = [given.callflow_id, given.connect, given.play].filter((program) => program !== undefined);
    if (given.transcribe && !given.record) {
      ctx.addIssue({ code: 'custom', path: ['transcribe'], message: NEEDS_RECORD });
    }
    if (programs.length > 1) ctx.addIssue({ code: 'custom', message: ONE_OF });
  });

const filters = {
  status: z.enum(CALL_STATUSES).optional(),
  queue_id: z.string().max(255).optional(),
  kind: z.enum(CALL_KINDS).optional(),
  direction: z.enum(CALL_DIRECTIONS).optional(),
  callflow_id: z.string().max(255).optional(),
  from: timeInput().optional().describe('Created at or after'),
  to: timeInput().optional().describe('Created at or before'),
};

const listQuery = eitherPaging(filters).refine(...fromBeforeTo);

export function callRoutes({ place, read }: CallRoutesServices): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/calls',
      operationId: 'placeCall',
      summary: 'Place an outbound call',
      summaryAr: 'إجراء مكالمة صادرة',
      description:
        'Rings `to`. After the answer, the call runs a call flow (`callflow_id`), plays audio and hangs up (`play`), is connected to another party (`connect`), or ' +
        'waits for API commands (if none is given). The audio is fetched or synthesized before the phone rings.',
      tag: TAG,
      scope: 'calls:write',
      keyKind: 'live',
      body: placeBody,
      auditFields: ['to'],
      responses: { 202: { schema: callObject, description: 'The call, about to ring' } },
      errors: [
        'CLI_NOT_OWNED',
        'INVALID_PHONE_NUMBER',
        'INVALID_PLAY_URL',
        'WEBHOOK_URL_INVALID',
        ...LEG_REFUSALS,
        'CALL_FAILED',
      ],
      // A retry must not ring the customer again.
      recover: async ({ requestId, startedAt }, { caller }) => {
        const placed = await read.placedBy(caller.projectId, caller.id, requestId, startedAt);
        return placed && { status: 202, body: presentCall(placed.call, placed.legs) };
      },
      handler: async ({ body, caller, requestId }) => {
        const placed = await place.place(toRequest(body), {
          projectId: caller.projectId,
          organizationId: caller.organizationId,
          mainNumber: caller.project.main_number,
          keyId: caller.id,
          requestId,
        });
        return { status: 202, body: presentCall(placed.call, placed.legs) };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/calls',
      operationId: 'listCalls',
      ownRows: true,
      summary: 'List calls, newest first',
      summaryAr: 'عرض المكالمات من الأحدث إلى الأقدم',
      description: 'Paged by cursor, or by number if `page` or `page_size` is given; the two cannot be combined.',
      tag: TAG,
      scope: 'calls:read',
      keyKind: 'any',
      query: listQuery,
      responses: {
        200: { schema: z.union([cursorList(callObject), numberedList(callObject)]), description: 'One page' },
      },
      errors: [],
      handler: async (ctx) => {
        const { paging } = ctx.query;
        const filter = toFilter(ctx.query);
        const scope = scopeOf(ctx);
        if (paging.mode === 'page') {
          const { page, pageSize } = paging;
          const { items, total } = await read.page(scope, filter, page, pageSize);
          return { status: 200, body: { data: items, total_count: total, page, page_size: pageSize } };
        }
        const position = ctx.cursors.read(paging.cursor);
        const { items, next } = await read.list(scope, filter, position, paging.limit);
        const next_cursor = next === null ? null : ctx.cursors.write(next);
        return { status: 200, body: { data: items, next_cursor, limit: paging.limit } };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/calls/:call_id',
      operationId: 'getCall',
      ownRows: true,
      summary: 'Read a call',
      summaryAr: 'قراءة مكالمة',
      tag: TAG,
      scope: 'calls:read',
      keyKind: 'any',
      params: callParams,
      responses: { 200: { schema: callObject, description: 'The call as it is now' } },
      errors: ['CALL_NOT_FOUND'],
      handler: async (ctx) => ({ status: 200, body: await read.get(scopeOf(ctx), ctx.params.call_id) }),
    }),
    route({
      method: 'GET',
      path: '/v1/calls/:call_id/timeline',
      operationId: 'getCallTimeline',
      ownRows: true,
      summary: 'Get the timeline of a call',
      summaryAr: 'كل ما حدث في المكالمة بالترتيب',
      description:
        'Events, engine notices, control actions and webhook attempts, in order. Pressed digits are counted, never shown.',
      tag: TAG,
      scope: 'calls:read',
      keyKind: 'any',
      params: callParams,
      responses: {
        200: {
          schema: z.strictObject({ call_id: idOutput, data: z.array(timelineEntry) }),
          description: 'Oldest first',
        },
      },
      errors: ['CALL_NOT_FOUND'],
      handler: async (ctx) => ({
        status: 200,
        body: { call_id: ctx.params.call_id, data: await read.timeline(scopeOf(ctx), ctx.params.call_id) },
      }),
    }),
  ];
}

function toFilter(query: z.output<typeof listQuery>): CallFilter {
  const { status, kind, direction, queue_id, callflow_id, from, to } = query;
  return { status, kind, direction, queueId: queue_id, callflowId: callflow_id, from, to };
}

function thenOf({ callflow_id, connect, play }: z.output<typeof placeBody>): PlaceRequest['then'] {
  if (callflow_id !== undefined) return { callflowId: callflow_id };
  if (connect) return { connect };
  return play ? { play: toAudioSource(play) } : null;
}

function toRequest(body: z.output<typeof placeBody>): PlaceRequest {
  return {
    to: body.to,
    callerIdNumber: body.caller_id_number ?? null,
    callerIdName: body.caller_id_name ?? null,
    then: thenOf(body),
    ringTimeoutSeconds: body.ring_timeout_seconds,
    maxDurationSeconds: body.max_duration_seconds,
    record: body.record,
    transcribe: body.transcribe,
    sendDigits: body.send_digits ?? null,
    webhookUrl: body.webhook_url ?? null,
    metadata: body.metadata,
  };
}
