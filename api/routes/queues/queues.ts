import { z } from 'zod';
import { customerNumber, idOutput, maskedNumber, timeOutput } from '../../../core/model/objects/fields.js';
import type { QueueRow } from '../../../core/data/rows.js';
import { STRATEGIES } from '../../../core/model/queue/types.js';
import { isoTime } from '../../../core/model/time.js';
import type { Caller } from '../../../core/services/access/caller.js';
import type { QueueService } from '../../../core/services/queues/manage.js';
import type { ReadQueues } from '../../../core/services/queues/read.js';
import { queueInSandbox, statsInSandbox } from '../../../core/services/sandbox/queues.js';
import { ownAgentOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { skills } from '../../http/schema/skills.js';
import { given } from '../../http/request/given.js';
import { route, type Route } from '../../http/route.js';
import {
  cursorList,
  cursorQuery,
  destination,
  fromBeforeTo,
  idInput,
  idParam,
  timeInput,
} from '../../http/schema/schemas.js';

const TAG = 'Queues';
const READING_FAILS = ['QUEUE_SERVICE_UNAVAILABLE', 'QUEUE_CONTROL_FAILED'] as const;

export interface QueueRoutesServices {
  readonly queues: QueueService;
  readonly read: ReadQueues;
}

const SANDBOX_READS = 'A sandbox key does not see the number, box or flow of `overflow`, nor the audio of `music`.';

const DESTINATIONS = ['number', 'queue', 'voicemail', 'callflow', 'hangup'] as const;

export const queueObject = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    dial_code: z.string().nullable(),
    strategy: z.enum(STRATEGIES),
    wrap_up_seconds: z.int(),
    ring_timeout_seconds: z.int(),
    max_wait_seconds: z.int(),
    max_length: z.int(),
    service_level_seconds: z.int(),
    unavailable_seconds: z.int(),
    required_skills: skills,
    skills_timeout_seconds: z.int().nullable(),
    announce_position: z.boolean(),
    announce_every_seconds: z.int(),
    music: idOutput.nullable(),
    overflow: z.strictObject({ type: z.enum(DESTINATIONS), target: z.string().nullable() }),
    callback_mode: z.enum(['agent_first', 'customer_first']),
    record: z.boolean(),
    created_at: timeOutput,
  })
  .meta({ id: 'Queue' });

const SLUG = bilingual(
  'must be 1 to 64 small letters, digits, dashes or underscores, and begin with a letter or digit',
  'يجب أن يتكوّن من 1 إلى 64 حرفًا لاتينيًّا صغيرًا أو رقمًا أو شرطة (`-`) أو شرطة سفلية (`_`)، وأن يبدأ بحرف أو رقم',
);
const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, SLUG)
  .meta({ examples: ['sales'] });
const dialCode = z
  .string()
  .regex(/^[0-9]{1,8}$/, bilingual('must be 1 to 8 digits', 'يجب أن يتكوّن من 1 إلى 8 أرقام'))
  .meta({ examples: ['501'] });

/** Settings of a queue, without their defaults. */
const settable = {
  dial_code: dialCode
    .nullable()
    .describe('Code that softphones dial to reach the queue, also used behind the feature codes that sign in and out'),
  strategy: z.enum(STRATEGIES).describe('How agents are chosen for a caller'),
  wrap_up_seconds: z
    .int()
    .min(0)
    .max(3600)
    .describe('Seconds after a call during which the agent is offered no other call'),
  ring_timeout_seconds: z.int().min(5).max(120).describe('Seconds for which an agent’s phone rings'),
  max_wait_seconds: z.int().min(5).max(7200).describe('Seconds after which an unanswered caller goes to `overflow`'),
  max_length: z.int().min(1).max(1000).describe('Maximum number of waiting callers; further callers go to `overflow`'),
  service_level_seconds: z
    .int()
    .min(1)
    .max(3600)
    .describe('Seconds within which an answered call counts towards `service_level`'),
  unavailable_seconds: z
    .int()
    .min(1)
    .max(3600)
    .describe('Seconds during which an agent who did not answer is offered no call'),
  required_skills: skills.describe('Lowest level, by skill, of the agents who are rung; others are not'),
  skills_timeout_seconds: z
    .int()
    .min(1)
    .max(7200)
    .nullable()
    .describe('Seconds of waiting after which required skills no longer count for the caller; null: they always count'),
  announce_position: z
    .boolean()
    .describe('Announce to callers their position and the expected wait, in Arabic and English'),
  announce_every_seconds: z.int().min(15).max(600),
  music: idInput.nullable().describe('ID of an uploaded audio file; null for the engine’s own music'),
  overflow: destination(DESTINATIONS).describe(
    'Destination of callers who are not answered; the target of `voicemail` is the number that has the box',
  ),
  callback_mode: z.enum(['agent_first', 'customer_first']),
  record: z.boolean().describe('Whether calls are recorded'),
};

const createBody = z.strictObject({
  name,
  dial_code: settable.dial_code.default(null),
  strategy: settable.strategy.default('longest_idle'),
  wrap_up_seconds: settable.wrap_up_seconds.default(5),
  ring_timeout_seconds: settable.ring_timeout_seconds.default(20),
  max_wait_seconds: settable.max_wait_seconds.default(300),
  max_length: settable.max_length.default(100),
  service_level_seconds: settable.service_level_seconds.default(20),
  unavailable_seconds: settable.unavailable_seconds.default(10),
  required_skills: settable.required_skills.default({}),
  skills_timeout_seconds: settable.skills_timeout_seconds.default(null),
  announce_position: settable.announce_position.default(false),
  announce_every_seconds: settable.announce_every_seconds.default(30),
  music: settable.music.default(null),
  overflow: settable.overflow.default({ type: 'hangup', target: null }),
  callback_mode: settable.callback_mode.default('agent_first'),
  record: settable.record.default(false),
});

const changeBody = z.strictObject({ name, ...settable }).partial();

export const waitingObject = z
  .strictObject({
    call_id: idOutput,
    position: z.int(),
    status: z.enum(['waiting', 'ringing']),
    agents: z.array(z.string()).describe('Agents who are rung for the caller'),
    required_skills: skills.describe('What an agent needs to be rung for the caller now'),
    customer_number_masked: maskedNumber,
    customer_number: customerNumber,
    entered_at: timeOutput,
    waited_seconds: z.int(),
  })
  .meta({ id: 'WaitingCaller' });

const count = z.int().min(0);
export const statsObject = z
  .strictObject({
    queue_id: idOutput,
    queue: z.string(),
    waiting: count.describe('Callers who wait now'),
    longest_wait: count.describe('Longest wait of the callers who wait now, in seconds'),
    agents: z
      .strictObject({ idle: count, ringing: count, busy: count, wrap_up: count, unavailable: count, paused: count })
      .describe('Agents who are logged in now'),
    pauses: z
      .array(z.strictObject({ reason: z.string().nullable(), agents: count }))
      .describe('The paused agents by the reason of their pause, most frequent first'),
    period: z.strictObject({ from: timeOutput.nullable(), to: timeOutput.nullable() }).nullable(),
    offered: count.describe('Callers who entered the queue in the period'),
    answered: count,
    abandoned: count,
    overflowed: count,
    service_level: z.number().nullable().describe('Percentage of offered callers who were answered in time'),
    average_wait: z.number().nullable().describe('Average wait of answered callers, in seconds'),
    average_talk: z.number().nullable().describe('Average talk time, in seconds'),
  })
  .meta({ id: 'QueueStats' });

const queueParams = z.strictObject({ id: idParam('NOT_FOUND') });

export function queueRoutes({ queues, read }: QueueRoutesServices): Route[] {
  const writing = { tag: TAG, scope: 'queues:write', keyKind: 'live' } as const;
  const reading = { ...writing, method: 'GET', scope: 'queues:read', keyKind: 'any' } as const;
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/queues',
      operationId: 'createQueue',
      summary: 'Create a queue',
      summaryAr: 'إنشاء قائمة انتظار',
      body: createBody,
      auditFields: ['name', 'dial_code', 'strategy'],
      responses: { 201: { schema: queueObject, description: 'The queue' } },
      errors: ['INVALID_PHONE_NUMBER'],
      handler: async ({ caller, body }) => {
        const owner = { projectId: caller.projectId, organizationId: caller.organization.id };
        return { status: 201, body: view(await queues.create(owner, body)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/queues',
      operationId: 'listQueues',
      ownRows: true,
      summary: 'List queues',
      summaryAr: 'عرض قوائم الانتظار',
      description: `The queues of the project, by name. ${SANDBOX_READS}`,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(queueObject), description: 'One page of queues' } },
      errors: READING_FAILS,
      handler: async ({ caller, query, cursors }) => {
        const after = cursors.read(query.cursor);
        const agent = ownAgentOf(caller);
        const rows =
          agent === null
            ? await queues.page(caller.projectId, after, query.limit + 1)
            : (await read.queuesOf(caller.projectId, agent)).filter(({ name: at }) => after === null || at > after);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, (row) => row.name, seenBy(caller)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/queues/:id',
      operationId: 'getQueue',
      ownRows: true,
      summary: 'Read a queue',
      summaryAr: 'قراءة قائمة انتظار',
      params: queueParams,
      responses: { 200: { schema: queueObject, description: 'The queue' } },
      description: SANDBOX_READS,
      errors: ['NOT_FOUND', ...READING_FAILS],
      handler: async ({ caller, params }) => ({
        status: 200,
        body: seenBy(caller)(await read.get(scopeOf({ caller }), params.id)),
      }),
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/queues/:id',
      operationId: 'changeQueue',
      summary: 'Change a queue',
      summaryAr: 'تعديل قائمة انتظار',
      description:
        'The new settings apply to callers who already wait, except `max_wait_seconds`, which is fixed when a caller enters.',
      params: queueParams,
      body: changeBody,
      auditFields: ['name', 'dial_code', 'strategy'],
      responses: { 200: { schema: queueObject, description: 'The queue as it is now' } },
      errors: ['NOT_FOUND', 'INVALID_PHONE_NUMBER'],
      handler: async ({ caller, params, body }) => {
        const changes = given(body);
        return { status: 200, body: view(await queues.change(caller.projectId, params.id, changes)) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/queues/:id',
      operationId: 'deleteQueue',
      summary: 'Remove a queue',
      summaryAr: 'حذف قائمة انتظار',
      description:
        'Waiting callers go to the queue’s `overflow`; live calls continue. The name and dial code can be used again.',
      params: queueParams,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params }) => {
        await queues.remove(caller.projectId, params.id);
        return { status: 204 };
      },
    }),
    route({
      ...reading,
      path: '/v1/queues/:id/stats',
      operationId: 'getQueueStats',
      ownRows: true,
      summary: 'Get statistics of a queue',
      summaryAr: 'إحصاءات قائمة انتظار',
      description:
        'Current figures, and figures for callers who entered from `from` to `to` (both included); without `from` and `to`, for all time. A sandbox key sees the agents, and no calls.',
      params: queueParams,
      query: z.strictObject({ from: timeInput().optional(), to: timeInput().optional() }).refine(...fromBeforeTo),
      responses: { 200: { schema: statsObject, description: 'The statistics' } },
      errors: ['NOT_FOUND', ...READING_FAILS],
      handler: async ({ caller, params, query }) => {
        const period = { from: query.from ?? null, to: query.to ?? null };
        const stats = await read.stats(scopeOf({ caller }), params.id, period);
        const { pauses, ...rest } = caller.sandbox ? statsInSandbox(stats) : stats;
        return { status: 200, body: { ...rest, pauses: [...pauses] } };
      },
    }),
    route({
      ...reading,
      path: '/v1/queues/:id/waiting',
      operationId: 'listWaitingCallers',
      ownRows: true,
      summary: 'List the waiting callers of a queue',
      summaryAr: 'المنتظرون في قائمة انتظار',
      description: 'Sandbox calls do not wait in queues: a sandbox key sees nobody.',
      params: queueParams,
      responses: {
        200: {
          schema: z.strictObject({ data: z.array(waitingObject) }),
          description: 'The waiting callers, longest wait first',
        },
      },
      errors: ['NOT_FOUND', ...READING_FAILS],
      handler: async ({ caller, params }) => {
        const waiting = await read.waiting(scopeOf({ caller }), params.id);
        const data = caller.sandbox ? [] : waiting;
        return {
          status: 200,
          body: {
            data: data.map((entry) => ({
              ...entry,
              agents: [...entry.agents],
              required_skills: { ...entry.required_skills },
            })),
          },
        };
      },
    }),
  ];
}

/** How the key sees a queue. */
function seenBy({ sandbox }: Caller): typeof view {
  return (row) => view(sandbox ? queueInSandbox(row) : row);
}

function view(row: QueueRow): z.output<typeof queueObject> {
  const { organization_id, project_id, music_path, removed_at, created_at, overflow, ...shown } = row;
  return {
    ...shown,
    required_skills: { ...shown.required_skills },
    overflow: overflow as z.output<typeof queueObject>['overflow'],
    created_at: isoTime(created_at),
  };
}
