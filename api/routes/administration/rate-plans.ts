import { z } from 'zod';
import type { RatePlanVersion } from '../../../core/data/repositories/billing/rate-plans.js';
import { CALL_KINDS } from '../../../core/model/call/call.js';
import { CHANNELS } from '../../../core/model/messaging/channels.js';
import { exactSarNumber } from '../../../core/model/money.js';
import { OWNABLE_KINDS } from '../../../core/model/number/search.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { AdministerOrganizations } from '../../../core/services/administration/organizations.js';
import type { PlanService } from '../../../core/services/billing/plans.js';
import type { Clock } from '../../../core/ports/clock.js';
import { amountInput, micros } from '../../http/schema/amounts.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { route, type Route } from '../../http/route.js';
import { idInput, timeInput } from '../../http/schema/schemas.js';
import { reading, writing } from './administrator.js';

const MOST_RATES = 200_000;
const MOST_BYTES = 32 * 1024 * 1024;
const prefix = z
  .string()
  .regex(
    /^\d{0,15}$/,
    bilingual('must be the start of an E.164 number without its plus', 'يجب أن يكون بداية رقم E.164 دون علامة الجمع'),
  )
  .default('')
  .describe('Start of the outside number in E.164, without its plus; the longest one applies');

const rate = z.strictObject({
  direction: z.enum(['outbound', 'inbound']),
  kind: z.enum(CALL_KINDS).nullable().default(null).describe('Null: every kind of call'),
  prefix,
  per_minute_sar: amountInput(6, 0),
  increment_seconds: z.int().min(1).max(3600).default(60),
  minimum_seconds: z.int().min(0).max(3600).default(0),
});
const fee = z.strictObject({
  kind: z.enum(OWNABLE_KINDS).nullable().default(null).describe('Null: every kind of number'),
  prefix,
  monthly_sar: amountInput(6, 0),
});

const messageRate = z.strictObject({
  channel: z.enum(CHANNELS),
  prefix,
  per_segment_sar: amountInput(6, 0).describe('Of each message that the carrier counts'),
});

const plan = z.strictObject({ id: idOutput, name: z.string(), created_at: timeOutput }).meta({ id: 'ListedRatePlan' });
const version = z
  .strictObject({
    id: idOutput,
    plan_id: idOutput,
    plan: z.string(),
    version: z.int(),
    valid_from: timeOutput,
    created_at: timeOutput,
    rates: z.array(rate),
    number_fees: z.array(fee),
    message_rates: z.array(messageRate),
  })
  .meta({ id: 'RatePlanVersion' });

const params = z.strictObject({ plan: z.string() });

export interface AdministeredPlansServices {
  readonly plans: PlanService;
  readonly organizations: Pick<AdministerOrganizations, 'get'>;
  readonly clock: Clock;
}

/** Prices of calls and numbers, their versions, and which organization has which. */
export function administeredPlanRoutes({ plans, organizations, clock }: AdministeredPlansServices): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/rate-plans',
      operationId: 'listRatePlans',
      summary: 'List the rate plans',
      summaryAr: 'عرض خطط الأسعار',
      responses: { 200: { schema: z.strictObject({ data: z.array(plan) }), description: 'Every plan' } },
      errors: [],
      handler: async () => {
        const rows = await plans.list();
        return {
          status: 200,
          body: { data: rows.map(({ id, name, created_at }) => ({ id, name, created_at: isoTime(created_at) })) },
        };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/rate-plans/:plan',
      operationId: 'getAdministeredRatePlan',
      summary: 'Read the newest version of a rate plan',
      summaryAr: 'قراءة أحدث نسخة من خطة أسعار',
      params,
      responses: {
        200: {
          schema: z.strictObject({ newest: version.nullable().describe('Null if it has none') }),
          description: 'The newest version; it may not be in force yet',
        },
      },
      errors: ['RATE_PLAN_NOT_FOUND'],
      handler: async ({ params: { plan: name } }) => {
        const newest = await plans.newest(name);
        return { status: 200, body: { newest: newest && present(name, newest) } };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/rate-plans/:plan/versions',
      operationId: 'addRatePlanVersion',
      summary: 'Add a version of a rate plan',
      summaryAr: 'إضافة نسخة من خطة أسعار',
      description: `Makes the plan if it does not exist. A version replaces all prices of the one before. It has at most ${MOST_RATES} rates.`,
      params,
      body: z.strictObject({
        rates: z.array(rate).max(MOST_RATES),
        number_fees: z.array(fee).max(MOST_RATES).default([]),
        message_rates: z.array(messageRate).max(MOST_RATES).default([]),
        valid_from: timeInput().optional().describe('Now by default'),
      }),
      auditFields: ['valid_from'],
      maxBodyBytes: MOST_BYTES,
      responses: { 201: { schema: version, description: 'The version' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { plan: name }, body, note }) => {
        const { rates, number_fees, message_rates, valid_from = clock.now() } = body;
        const added = await plans.add(
          name,
          rates.map(({ per_minute_sar, increment_seconds, minimum_seconds, ...of }) => ({
            ...of,
            perMinute: micros(per_minute_sar),
            incrementSeconds: increment_seconds,
            minimumSeconds: minimum_seconds,
          })),
          valid_from,
          undefined,
          number_fees.map(({ monthly_sar, ...of }) => ({ ...of, monthly: micros(monthly_sar) })),
          message_rates.map(({ per_segment_sar, ...of }) => ({ ...of, perSegment: micros(per_segment_sar) })),
        );
        note({ details: { plan: name, version: added.version } });
        return { status: 201, body: present(name, added) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/rate-plans/:plan/assign',
      operationId: 'assignRatePlan',
      summary: 'Assign a rate plan to an organization',
      summaryAr: 'تعيين خطة أسعار لمؤسسة',
      description: 'From now on.',
      params,
      body: z.strictObject({ organization_id: idInput }),
      auditFields: ['organization_id'],
      responses: {
        200: { schema: z.strictObject({ organization_id: idOutput, plan: z.string() }), description: 'Assigned' },
      },
      errors: ['RATE_PLAN_NOT_FOUND', 'NOT_FOUND'],
      handler: async ({ params: { plan: name }, body: { organization_id }, note }) => {
        await organizations.get(organization_id);
        await plans.assign(organization_id, name);
        note({ organizationId: organization_id, details: { plan: name } });
        return { status: 200, body: { organization_id, plan: name } };
      },
    }),
  ];
}

function present(name: string, made: RatePlanVersion): z.output<typeof version> {
  return {
    ...{ id: made.id, plan_id: made.plan_id, plan: name, version: made.version },
    ...{ valid_from: isoTime(made.valid_from), created_at: isoTime(made.created_at) },
    rates: made.rates.map(({ direction, kind, prefix: start, perMinute, incrementSeconds, minimumSeconds }) => ({
      ...{ direction, kind, prefix: start },
      per_minute_sar: exactSarNumber(perMinute),
      increment_seconds: incrementSeconds,
      minimum_seconds: minimumSeconds,
    })),
    number_fees: made.numberFees.map(({ kind, prefix: start, monthly }) => ({
      ...{ kind, prefix: start },
      monthly_sar: exactSarNumber(monthly),
    })),
    message_rates: made.messageRates.map(({ channel, prefix: start, perSegment }) => ({
      ...{ channel, prefix: start },
      per_segment_sar: exactSarNumber(perSegment),
    })),
  };
}
