import { z } from 'zod';
import type { FraudDefaults } from '../../../../core/model/fraud/limits.js';
import { timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { AdministerOrganizations } from '../../../../core/services/administration/organizations.js';
import { MAX_PREFIX_NOTE, type ManageHighRiskPrefixes } from '../../../../core/services/dialling/high-risk-prefixes.js';
import type { ManageFraudDefaults } from '../../../../core/services/dialling/manage-fraud-defaults.js';
import { route, type Route } from '../../../http/route.js';
import { idParam } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { fraudLimits, presentLimits, storedLimits } from '../projects/fraud-limits.js';

const defaults = z
  .strictObject({
    project: fraudLimits.describe('Of each project, of all its outside calls together'),
    agents: fraudLimits.describe('Of each agent'),
    ends_calls: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Whether a block ends the live calls that it concerns; null: as the next place says, and no there'),
  })
  .meta({ id: 'FraudDefaults' });

const prefix = z
  .strictObject({
    prefix: z.string().describe('E.164'),
    note: z.string().nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'HighRiskPrefix' });

export interface FraudDefaultsServices {
  readonly organizations: Pick<AdministerOrganizations, 'get'>;
  readonly fraudDefaults: ManageFraudDefaults;
  readonly highRiskPrefixes: ManageHighRiskPrefixes;
}

const ofOrganization = z.strictObject({ organization_id: idParam('NOT_FOUND') });
const REPLACES =
  'Replaces them. They apply to projects and agents that say nothing else; null is no limit. Blocks that are in force stay.';

/** What the operator sets against toll fraud for all projects, or for those of one organization. */
export function fraudDefaultRoutes(services: FraudDefaultsServices): Route[] {
  const { organizations, fraudDefaults } = services;
  const read = async (organizationId: string | null): Promise<z.output<typeof defaults>> =>
    present(await fraudDefaults.own(organizationId));
  return [
    route({
      ...reading,
      path: '/v1/admin/fraud-defaults',
      operationId: 'getFraudDefaults',
      summary: 'Read the default limits against toll fraud of the installation',
      summaryAr: 'قراءة الحدود التلقائية للحماية من الاحتيال في المنصة',
      responses: { 200: { schema: defaults, description: 'The defaults' } },
      errors: [],
      handler: async () => ({ status: 200, body: await read(null) }),
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: '/v1/admin/fraud-defaults',
      operationId: 'setFraudDefaults',
      summary: 'Set the default limits against toll fraud of the installation',
      summaryAr: 'تحديد الحدود التلقائية للحماية من الاحتيال في المنصة',
      description: REPLACES,
      body: defaults,
      auditFields: ['project', 'agents', 'ends_calls'],
      responses: { 200: { schema: defaults, description: 'The defaults as they are now' } },
      errors: [],
      handler: async ({ body }) => {
        await fraudDefaults.set(null, stored(body));
        return { status: 200, body: await read(null) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/organizations/:organization_id/fraud-defaults',
      operationId: 'getFraudDefaultsOfOrganization',
      summary: 'Read the default limits against toll fraud of an organization',
      summaryAr: 'قراءة الحدود التلقائية للحماية من الاحتيال لمؤسسة',
      params: ofOrganization,
      responses: { 200: { schema: defaults, description: 'The defaults' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id } }) => ({
        status: 200,
        body: await read((await organizations.get(organization_id)).id),
      }),
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: '/v1/admin/organizations/:organization_id/fraud-defaults',
      operationId: 'setFraudDefaultsOfOrganization',
      summary: 'Set the default limits against toll fraud of an organization',
      summaryAr: 'تحديد الحدود التلقائية للحماية من الاحتيال لمؤسسة',
      description: REPLACES,
      params: ofOrganization,
      body: defaults,
      auditFields: ['project', 'agents', 'ends_calls'],
      responses: { 200: { schema: defaults, description: 'The defaults as they are now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id }, body, note }) => {
        const { id } = await organizations.get(organization_id);
        await fraudDefaults.set(id, stored(body));
        note({ organizationId: id });
        return { status: 200, body: await read(id) };
      },
    }),
    ...prefixRoutes(services),
  ];
}

function prefixRoutes({ highRiskPrefixes }: FraudDefaultsServices): Route[] {
  const path = '/v1/admin/high-risk-prefixes';
  return [
    route({
      ...reading,
      path,
      operationId: 'listHighRiskPrefixes',
      summary: 'List the prefixes whose numbers count as premium',
      summaryAr: 'عرض البادئات التي تُعدّ أرقامها مرتفعة التكلفة',
      responses: { 200: { schema: z.strictObject({ data: z.array(prefix) }), description: 'Every prefix' } },
      errors: [],
      handler: async () => ({ status: 200, body: { data: toWire(await highRiskPrefixes.list()) } }),
    }),
    route({
      ...writing,
      path,
      operationId: 'addHighRiskPrefix',
      summary: 'Let the numbers of a prefix count as premium',
      summaryAr: 'إضافة بادئة تُعدّ أرقامها مرتفعة التكلفة',
      description:
        'Only projects and agents that may call the class `premium` call them from then on; live calls continue. A prefix that is known stays as it is.',
      body: z.strictObject({
        prefix: z.string().max(40).describe('At least two digits of a number in E.164'),
        note: z.string().trim().min(1).max(MAX_PREFIX_NOTE).nullable().default(null),
      }),
      auditFields: ['prefix'],
      responses: { 200: { schema: prefix, description: 'The prefix' } },
      errors: [],
      handler: async ({ body }) => ({
        status: 200,
        body: toWire(await highRiskPrefixes.add(body.prefix, body.note)),
      }),
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${path}/:prefix`,
      operationId: 'removeHighRiskPrefix',
      summary: 'Remove a prefix whose numbers count as premium',
      summaryAr: 'إزالة بادئة تُعدّ أرقامها مرتفعة التكلفة',
      params: z.strictObject({ prefix: z.string() }),
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params }) => {
        await highRiskPrefixes.remove(params.prefix);
        return { status: 204 };
      },
    }),
  ];
}

function stored({ project, agents, ends_calls }: z.output<typeof defaults>): FraudDefaults {
  return { limits: { project: storedLimits(project), agents: storedLimits(agents) }, ends_calls };
}

function present({ limits: { project, agents }, ends_calls }: FraudDefaults): z.output<typeof defaults> {
  return { project: presentLimits(project), agents: presentLimits(agents), ends_calls };
}
