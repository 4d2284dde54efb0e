import { z } from 'zod';
import { timeOutput } from '../../../core/model/objects/fields.js';
import { LONGEST_MS, USAGE_GROUPS } from '../../../core/model/usage.js';
import type { ReadUsage } from '../../../core/services/usage/read.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { route, type Route } from '../../http/route.js';
import { fromBeforeTo, timeInput } from '../../http/schema/schemas.js';

const NEEDED = bilingual(
  'is required with group_by=day and group_by=hour',
  'هذا الحقل مطلوب مع `group_by=day` و`group_by=hour`',
);
const TOO_LONG = {
  day: bilingual(
    'must be at most 366 days after from with group_by=day',
    'يجب ألا يتجاوز 366 يومًا بعد `from` مع `group_by=day`',
  ),
  hour: bilingual(
    'must be at most 31 days after from with group_by=hour',
    'يجب ألا يتجاوز 31 يومًا بعد `from` مع `group_by=hour`',
  ),
};

const query = z
  .strictObject({
    from: timeInput().optional().describe('Created at or after; needed with `day` and `hour`'),
    to: timeInput().optional().describe('Created at or before; needed with `day` and `hour`'),
    queue_id: z.string().max(255).optional().describe('Only callbacks placed for this queue'),
    group_by: z.enum(USAGE_GROUPS).optional(),
  })
  .refine(...fromBeforeTo)
  .superRefine(({ from, to, group_by }, ctx) => {
    if (group_by !== 'day' && group_by !== 'hour') return;
    const refuse = (field: 'from' | 'to', message: string): void =>
      ctx.addIssue({ code: 'custom', path: [field], message });
    if (from === undefined) refuse('from', NEEDED);
    if (to === undefined) refuse('to', NEEDED);
    if (from && to && to.getTime() - from.getTime() > LONGEST_MS[group_by]) refuse('to', TOO_LONG[group_by]);
  });

const figures = {
  total_calls: z.int().describe('All calls of the period, including live calls'),
  calls_answered: z.int().describe('Calls that were answered, including live calls'),
  calls_missed: z.int().describe('Calls that were not answered'),
  total_minutes: z
    .number()
    .describe('Minutes from answer to end of ended calls, as in their `duration_seconds`; two decimals'),
  estimated_cost_sar: z.number().describe('Two decimals'),
};

const usage = z
  .strictObject({
    data: z.strictObject({ ...figures, currency: z.literal('SAR') }),
    period: z
      .strictObject({ from: timeOutput.nullable(), to: timeOutput.nullable() })
      .nullable()
      .describe('Null if `from` and `to` are absent'),
    groups: z
      .array(
        z.strictObject({
          key: z
            .string()
            .describe('Start of the day or hour in Riyadh, a status, or a queue’s id')
            .meta({ examples: ['2026-01-31T00:00:00+03:00'] }),
          ...figures,
        }),
      )
      .optional()
      .describe('With `group_by`'),
  })
  .meta({ id: 'Usage' });

export function usageRoutes({ read }: { readonly read: ReadUsage }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v1/usage',
      operationId: 'getUsage',
      summary: 'Get usage figures',
      summaryAr: 'حجم استخدام المشروع',
      description:
        'Figures for the calls created in the period, including calls that speak a code or ask for one, by their current status; without `from` and `to`, for all time. The cost is an estimate: ' +
        'the price of the answered minutes of each leg to or from the public network, by the plan in force when it was answered, rounded ' +
        'once after summing. It is what the balance, call detail records and invoices count, and 0 for a sandbox account and calls by sandbox keys. With `group_by`, `groups` has one entry for each day or hour (Riyadh time), status or queue with calls; `data` always covers the whole ' +
        'period. The period is at most 366 days with `day`, and 31 days with `hour`. A sandbox key sees only calls placed with sandbox keys; the figures of a live key include them.',
      tag: 'Usage',
      scope: 'usage:read',
      keyKind: 'any',
      query,
      responses: { 200: { schema: usage, description: 'The figures' } },
      errors: [],
      handler: async (ctx) => {
        const { caller } = ctx;
        const { from, to, queue_id: queueId, group_by: groupBy } = ctx.query;
        const scope = {
          projectId: caller.projectId,
          sandboxOnly: caller.sandbox,
          accountKind: caller.organization.account_kind,
        };
        return { status: 200, body: await read.read(scope, { from, to, queueId, groupBy }) };
      },
    }),
  ];
}
