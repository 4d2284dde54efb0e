import { z } from 'zod';
import type { NamedTrunkRoute } from '../../../../core/data/repositories/engines/trunk-routes.js';
import { RIYADH } from '../../../../core/model/calendar/index.js';
import { WEEKDAYS } from '../../../../core/model/calendar/opening-hours.js';
import { HatifError } from '../../../../core/model/errors/index.js';
import { exactSarNumber } from '../../../../core/model/money.js';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { isoTime } from '../../../../core/model/time.js';
import { arabic } from '../../../../core/model/wording/wording.js';
import type { TrunkRouteService } from '../../../../core/services/trunks/routes.js';
import { route, type Route } from '../../../http/route.js';
import { amountInput, micros } from '../../../http/schema/amounts.js';
import { idInput, idParam } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';

const PATH = '/v1/admin/trunk-routes';

const hours = z.strictObject({
  time_zone: z.string().max(100).default(RIYADH).describe('IANA time zone'),
  weekdays: z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .max(7)
    .default([...WEEKDAYS]),
  from: z.string().max(5).describe('`HH:MM`'),
  to: z.string().max(5).describe('`HH:MM`, not included; not after `from`: of the next day'),
});

const trunkRoute = z
  .strictObject({
    id: idOutput,
    trunk_id: idOutput,
    trunk: z.string(),
    organization_id: idOutput.nullable().describe('Null: calls of every organization'),
    organization: z.string().nullable(),
    prefix: z.string().describe('Start of the number in E.164 without its plus; empty: every number'),
    hours: z
      .strictObject({ time_zone: z.string(), weekdays: z.array(z.enum(WEEKDAYS)), from: z.string(), to: z.string() })
      .nullable()
      .describe('Null: always'),
    priority: z.int().describe('Among prefixes of the same length, the lowest comes first'),
    weight: z.int().describe('The share of calls among routes that are otherwise equal'),
    cost_sar: z.number().nullable().describe('For a minute; null: by the rates of the trunk'),
    created_at: timeOutput,
  })
  .meta({ id: 'TrunkRoute' });

/** Which trunks carry which outgoing calls. */
export function trunkRouteRoutes({ routes }: { readonly routes: TrunkRouteService }): Route[] {
  return [
    route({
      ...reading,
      path: PATH,
      operationId: 'listTrunkRoutes',
      summary: 'List the routes of outgoing calls',
      summaryAr: 'عرض مسارات الاتصال الصادر',
      responses: {
        200: {
          schema: z.strictObject({ data: z.array(trunkRoute) }),
          description: 'Every route, in the order of the choice',
        },
      },
      errors: [],
      handler: async () => ({ status: 200, body: { data: (await routes.list()).map(present) } }),
    }),
    route({
      ...writing,
      path: PATH,
      operationId: 'addTrunkRoute',
      summary: 'Add a route of outgoing calls',
      summaryAr: 'إضافة مسار للاتصال الصادر',
      description:
        'A call takes the routes that fit in this order: those of its organization, the longest prefix, the lowest priority, the lowest cost, and by weight. If the carrier fails before the phone rings, the next one is tried. Calls that no route fits take the default trunk.',
      body: z.strictObject({
        trunk: z.string().max(100),
        organization_id: idInput.nullable().default(null),
        prefix: z.string().max(16).default(''),
        hours: hours.nullable().default(null),
        priority: z.int().default(100).describe('0 to 1000'),
        weight: z.int().default(1).describe('1 to 1000'),
        cost_sar: amountInput(6, 0).nullable().default(null),
      }),
      auditFields: ['trunk', 'organization_id', 'prefix', 'hours', 'priority', 'weight', 'cost_sar'],
      responses: { 201: { schema: trunkRoute, description: 'The route' } },
      errors: [],
      handler: async ({ body: { organization_id, cost_sar, ...given } }) => {
        const cost = cost_sar === null ? null : micros(cost_sar);
        const added = await routes.add({ ...given, organizationId: organization_id, cost }, 'request');
        return { status: 201, body: present(added) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PATH}/:id`,
      operationId: 'removeTrunkRoute',
      summary: 'Remove a route of outgoing calls',
      summaryAr: 'إزالة مسار للاتصال الصادر',
      description: 'Live calls continue.',
      params: z.strictObject({ id: idParam('NOT_FOUND') }),
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { id } }) => {
        if (await routes.remove(id, 'request')) return { status: 204 };
        throw new HatifError('NOT_FOUND', { what: { en: `the route ${id}`, ar: arabic`المسار ${id}` } });
      },
    }),
  ];
}

function present({ cost, hours: when, ...row }: NamedTrunkRoute): z.output<typeof trunkRoute> {
  return {
    ...row,
    hours: when && { ...when, weekdays: [...when.weekdays] },
    cost_sar: cost === null ? null : exactSarNumber(cost),
    created_at: isoTime(row.created_at),
  };
}
