import { z } from 'zod';
import type { FraudLimits } from '../../../core/model/fraud/limits.js';
import { sarNumber } from '../../../core/model/money.js';
import { DESTINATION_CLASSES } from '../../../core/model/number/destination-class.js';
import { fraudBlockObject, presentFraudBlock } from '../../../core/model/objects/fraud-block.js';
import { isTimeZone, RIYADH } from '../../../core/model/calendar/index.js';
import type { ManageFraud } from '../../../core/services/dialling/manage-fraud.js';
import { cursorPage } from '../../http/paging.js';
import { given } from '../../http/request/given.js';
import { route, type Route } from '../../http/route.js';
import { amountInput, micros } from '../../http/schema/amounts.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

export interface FraudRoutesServices {
  readonly fraud: ManageFraud;
}

const MOST_CALLS = 100_000;
const MINUTES_A_DAY = 1_000_000;
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const calls = z.int().min(1).max(MOST_CALLS).nullable();
const clockTime = z
  .string()
  .regex(CLOCK, bilingual('must be a time of day, from 00:00 to 23:59', 'يجب أن يكون وقتًا من `00:00` إلى `23:59`'));
const night = z
  .strictObject({
    from: clockTime.meta({ examples: ['22:00'] }),
    to: clockTime.meta({ examples: ['06:00'] }).describe('Not included; before `from`, it is that of the next day'),
    time_zone: z
      .string()
      .refine(isTimeZone, bilingual('must be an IANA time zone', 'يجب أن تكون منطقة زمنية من قائمة IANA'))
      .default(RIYADH),
    destination_classes: z
      .array(z.enum(DESTINATION_CLASSES))
      .max(DESTINATION_CLASSES.length)
      .default([])
      .describe('What may be called at night, of what may be called at all; empty: nothing outside'),
    calls_per_hour: calls.default(null).describe('Instead of `calls_per_hour` of the day; null: that limit'),
  })
  .refine(
    ({ from, to }) => from !== to,
    bilingual('must begin and end at different times', 'يجب أن تختلف بدايته عن نهايته'),
  );

const limits = z
  .strictObject({
    calls_per_hour: calls.optional().describe('Calls to the outside in an hour'),
    minutes_per_day: z
      .int()
      .min(1)
      .max(MINUTES_A_DAY)
      .nullable()
      .optional()
      .describe('Of answered calls, by Riyadh day'),
    spend_per_hour_sar: amountInput(2, 0.01)
      .nullable()
      .optional()
      .describe('What calls cost in an hour, also those that continue'),
    new_number_calls_per_hour: calls
      .optional()
      .describe('Calls in an hour to one number that the project had not called before that hour'),
    night: night.nullable().optional(),
  })
  .meta({ id: 'FraudLimits', description: 'An absent or null member is no limit' });

const ofProject = z.strictObject({
  project: limits.describe('Of all outside calls of the project together; reaching one blocks the project'),
  agents: limits.describe('Of each agent; reaching one blocks the agent'),
});
const ofAgent = z.strictObject({
  agent: z.string().describe('The extension'),
  own: limits.describe('An absent member is that of the project’s agents; null is no limit'),
  effective: limits,
});

const agentParams = z.strictObject({ agent: z.string() });

export function fraudRoutes({ fraud }: FraudRoutesServices): Route[] {
  const reading = { tag: 'Billing', scope: 'billing:read', keyKind: 'live', method: 'GET' } as const;
  const writing = { ...reading, scope: 'billing:write', method: 'PUT' } as const;
  const auditFields = ['project', 'agents'] as const;
  const presentAgent = async (projectId: string, agent: string): Promise<z.output<typeof ofAgent>> => {
    const { own, effective } = await fraud.ofAgent(projectId, agent);
    return { agent, own: present(own), effective: present(effective) };
  };
  const presentProject = async (projectId: string): Promise<z.output<typeof ofProject>> => {
    const { project, agents } = await fraud.read(projectId);
    return { project: present(project), agents: present(agents) };
  };
  return [
    route({
      ...reading,
      path: '/v1/fraud-limits',
      operationId: 'getFraudLimits',
      summary: 'Read the limits against toll fraud',
      summaryAr: 'قراءة حدود الحماية من الاحتيال',
      responses: { 200: { schema: ofProject, description: 'The limits of the project and of its agents' } },
      errors: [],
      handler: async ({ caller }) => ({ status: 200, body: await presentProject(caller.projectId) }),
    }),
    route({
      ...writing,
      path: '/v1/fraud-limits',
      operationId: 'setFraudLimits',
      summary: 'Set the limits against toll fraud',
      summaryAr: 'تحديد حدود الحماية من الاحتيال',
      description:
        'Replaces all limits of the project; agents with limits of their own keep them. The call that would exceed a limit is refused with `OUTBOUND_BLOCKED` and blocks the outside calls of the agent, or of the project, until the block is released. Live calls continue. Emergency numbers are never blocked and do not count.',
      body: ofProject,
      auditFields,
      responses: { 200: { schema: ofProject, description: 'The limits' } },
      errors: [],
      handler: async ({ caller, body }) => {
        await fraud.set(caller.projectId, { project: stored(body.project), agents: stored(body.agents) });
        return { status: 200, body: await presentProject(caller.projectId) };
      },
    }),
    route({
      ...reading,
      path: '/v1/fraud-limits/:agent',
      operationId: 'getAgentFraudLimits',
      summary: 'Read an agent’s limits against toll fraud',
      summaryAr: 'قراءة حدود الحماية من الاحتيال لموظف',
      params: agentParams,
      responses: { 200: { schema: ofAgent, description: 'The limits of the agent' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params }) => ({
        status: 200,
        body: await presentAgent(caller.projectId, params.agent),
      }),
    }),
    route({
      ...writing,
      path: '/v1/fraud-limits/:agent',
      operationId: 'setAgentFraudLimits',
      summary: 'Set an agent’s own limits against toll fraud',
      summaryAr: 'تحديد حدود الحماية من الاحتيال لموظف',
      description:
        'Replaces the agent’s own limits. An absent member is that of the project’s agents, null is no limit, and `{}` returns the agent to the limits of the others.',
      params: agentParams,
      body: limits,
      auditFields: ['calls_per_hour', 'minutes_per_day', 'spend_per_hour_sar', 'new_number_calls_per_hour', 'night'],
      responses: { 200: { schema: ofAgent, description: 'The limits of the agent' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params, body }) => {
        await fraud.setOfAgent(caller.projectId, params.agent, stored(body));
        return { status: 200, body: await presentAgent(caller.projectId, params.agent) };
      },
    }),
    route({
      ...reading,
      path: '/v1/fraud-blocks',
      operationId: 'listFraudBlocks',
      summary: 'List blocks against toll fraud',
      summaryAr: 'عرض حالات الحظر للحماية من الاحتيال',
      description: 'Newest first.',
      query: z.strictObject({
        ...cursorQuery,
        in_force: z.enum(['true', 'false']).default('true').describe('`false`: also those that were released'),
      }),
      responses: { 200: { schema: cursorList(fraudBlockObject), description: 'One page of blocks' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit, in_force }, cursors }) => {
        const rows = await fraud.blocks(caller.projectId, in_force === 'true', cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentFraudBlock) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/fraud-blocks/:id/release',
      operationId: 'releaseFraudBlock',
      summary: 'Release a block against toll fraud',
      summaryAr: 'رفع حظر مفروض للحماية من الاحتيال',
      description:
        'The next outside call passes, and the limits count from 0 again. A block that was released already is returned as it is.',
      params: z.strictObject({ id: idParam('NOT_FOUND') }),
      responses: { 200: { schema: fraudBlockObject, description: 'The released block' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        return { status: 200, body: presentFraudBlock(await fraud.release(caller.projectId, id, caller.id)) };
      },
    }),
  ];
}

function stored({ spend_per_hour_sar: spend, ...others }: z.output<typeof limits>): FraudLimits {
  return {
    ...given(others),
    ...(spend === undefined ? {} : { spend_per_hour: spend === null ? null : micros(spend) }),
  };
}

function present({ spend_per_hour: spend, night, ...others }: FraudLimits): z.output<typeof limits> {
  return {
    ...others,
    ...(spend === undefined ? {} : { spend_per_hour_sar: spend === null ? null : sarNumber(spend) }),
    ...(night === undefined
      ? {}
      : { night: night && { ...night, destination_classes: [...night.destination_classes] } }),
  };
}
