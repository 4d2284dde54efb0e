import { z } from 'zod';
import { exactSarNumber } from '../../../../core/model/money.js';
import { idOutput, sar } from '../../../../core/model/objects/fields.js';
import { inSar } from '../../../../core/model/wire.js';
import type { AskedBy } from '../../../../core/services/access/operator-audit.js';
import type { AdministerOrganizations } from '../../../../core/services/administration/organizations.js';
import type { Balances } from '../../../../core/services/billing/balances.js';
import type { PlanService } from '../../../../core/services/billing/plans.js';
import type { RatingDifference, RatingReport } from '../../../../core/services/billing/rerating.js';
import { amountInput, micros } from '../../../http/schema/amounts.js';
import { bilingual } from '../../../http/schema/bilingual.js';
import { route, type Route } from '../../../http/route.js';
import { idParam } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';

const ORGANIZATION = '/v1/admin/organizations/:organization_id';
const params = z.strictObject({ organization_id: idParam('NOT_FOUND') });
const pool = z.strictObject({
  organization_id: idOutput,
  pool_balance_sar: sar.describe('Funds that are not allocated to any project; exact, with up to six decimals'),
});

const day = z
  .string()
  .refine(isDay, bilingual('must be a day of the form YYYY-MM-DD', 'يجب أن يكون يومًا بالصيغة `YYYY-MM-DD`'))
  .meta({ examples: ['2026-10-31'] });
const days = z
  .strictObject({ from: day.describe('A day of Riyadh'), to: day.describe('Included') })
  .refine(({ from, to }) => from <= to, {
    path: ['from'],
    message: bilingual('must not be later than to', 'يجب ألا يكون بعد `to`'),
  });

const report = z
  .strictObject({
    calls: z.int().describe('Rated calls of the days'),
    was_sar: sar.describe('What they cost; exact'),
    would_be_sar: sar.describe('What they cost by the current versions of their plans; exact'),
    differences: z.array(
      z.strictObject({ call_id: idOutput, project_id: idOutput, day: z.string(), was_sar: sar, would_be_sar: sar }),
    ),
  })
  .meta({ id: 'RatingReport' });

export interface AdministeredMoneyServices {
  readonly organizations: Pick<AdministerOrganizations, 'get'>;
  readonly balances: Pick<Balances, 'pool' | 'topUp'>;
  readonly plans: Pick<PlanService, 'setMode'>;
  readonly compareRatings: (from: string, to: string) => Promise<RatingReport>;
  readonly bookRatings: (from: string, to: string, by: AskedBy) => Promise<RatingReport>;
}

/** How organizations pay, their pools, and corrections of what calls cost. */
export function administeredMoneyRoutes(services: AdministeredMoneyServices): Route[] {
  const { organizations, balances, plans, compareRatings, bookRatings } = services;
  return [
    route({
      ...byAdministrator,
      method: 'PUT',
      path: `${ORGANIZATION}/billing-mode`,
      operationId: 'setBillingMode',
      summary: 'Set whether an organization pays in advance or afterwards',
      summaryAr: 'تحديد طريقة دفع مؤسسة: مقدمًا أو لاحقًا',
      params,
      body: z.strictObject({ mode: z.enum(['prepaid', 'postpaid']) }),
      auditFields: ['mode'],
      responses: {
        200: {
          schema: z.strictObject({ organization_id: idOutput, mode: z.enum(['prepaid', 'postpaid']) }),
          description: 'Set',
        },
      },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id }, body: { mode }, note }) => {
        await organizations.get(organization_id);
        await plans.setMode(organization_id, mode);
        note({ organizationId: organization_id });
        return { status: 200, body: { organization_id, mode } };
      },
    }),
    route({
      ...reading,
      path: `${ORGANIZATION}/pool`,
      operationId: 'getPoolOfOrganization',
      summary: 'Read the pool of an organization',
      summaryAr: 'قراءة رصيد المؤسسة المشترك',
      params,
      responses: { 200: { schema: pool, description: 'The pool' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id } }) => {
        await organizations.get(organization_id);
        const pool_balance_sar = exactSarNumber(await balances.pool(organization_id));
        return { status: 200, body: { organization_id, pool_balance_sar } };
      },
    }),
    route({
      ...writing,
      path: `${ORGANIZATION}/top-ups`,
      operationId: 'topUpPool',
      summary: 'Credit a payment to the pool of an organization',
      summaryAr: 'شحن رصيد المؤسسة المشترك بدفعة',
      description: 'Each reference is booked once: a repeat changes nothing.',
      params,
      body: z.strictObject({
        amount_sar: amountInput(2, 0.01),
        reference: z.string().min(1).max(1000).describe('Your own reference of the payment'),
        note: z.string().max(1000).nullable().default(null),
      }),
      auditFields: ['amount_sar', 'reference'],
      responses: {
        200: {
          schema: pool.extend({ booked: z.boolean().describe('False if it was booked before') }),
          description: 'The pool',
        },
      },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id }, body: { amount_sar, reference, note: text }, note }) => {
        await organizations.get(organization_id);
        const booked = await balances.topUp(organization_id, micros(amount_sar), reference, text);
        note({ organizationId: organization_id, details: { booked } });
        const pool_balance_sar = exactSarNumber(await balances.pool(organization_id));
        return { status: 200, body: { organization_id, pool_balance_sar, booked } };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/ratings/comparison',
      operationId: 'compareRatings',
      summary: 'Rate past days again, and compare',
      summaryAr: 'إعادة احتساب تكلفة أيام سابقة ومقارنتها',
      description: 'By the current versions of the plans. Nothing is changed.',
      query: days,
      responses: { 200: { schema: report, description: 'The calls that would cost something else' } },
      errors: [],
      handler: async ({ query: { from, to } }) => ({ status: 200, body: present(await compareRatings(from, to)) }),
    }),
    route({
      ...writing,
      path: '/v1/admin/ratings/corrections',
      operationId: 'correctRatings',
      summary: 'Rate past days again, and book the differences',
      summaryAr: 'إعادة احتساب تكلفة أيام سابقة وقيد الفروق',
      description: 'Each difference is booked once: a repeat books only new differences.',
      body: days,
      auditFields: ['from', 'to'],
      responses: { 200: { schema: report, description: 'What was booked' } },
      errors: [],
      handler: async ({ body: { from, to }, note }) => {
        const booked = await bookRatings(from, to, 'request');
        note({ details: { differences: booked.differences.length } });
        return { status: 200, body: present(booked) };
      },
    }),
  ];
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function present({ calls, was, would_be, differences }: RatingReport): z.output<typeof report> {
  return {
    ...{ calls, was_sar: exactSarNumber(was), would_be_sar: exactSarNumber(would_be) },
    differences: differences.map((each) => inSar<RatingDifference, 'was' | 'would_be'>(each, 'was', 'would_be')),
  };
}
