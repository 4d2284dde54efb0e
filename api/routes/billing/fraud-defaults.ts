import { z } from 'zod';
import type { FraudDefaults } from '../../../core/model/fraud/limits.js';
import { assertOfAllProjects } from '../../../core/services/accounts/acting-member.js';
import type { ManageFraudDefaults } from '../../../core/services/dialling/manage-fraud-defaults.js';
import { route, type Route } from '../../http/route.js';
import { fraudLimits, presentFraudLimits, storedFraudLimits } from '../../http/schema/fraud-limits.js';

export interface FraudDefaultsRoutesServices {
  readonly fraudDefaults: ManageFraudDefaults;
}

const PATH = '/v1/organization/fraud-limits';

const defaults = z.strictObject({
  project: fraudLimits.describe('Of each project, of all its outside calls together'),
  agents: fraudLimits.describe('Of each agent'),
  ends_calls: z
    .boolean()
    .nullable()
    .default(null)
    .describe('Whether a block ends the live calls that it concerns; null: as the operator says'),
});
const shown = defaults
  .extend({ effective: defaults.describe('The same with the defaults of the operator for absent members') })
  .meta({ id: 'OrganizationFraudLimits' });

/** What an organization sets against toll fraud for all its projects. */
export function fraudDefaultsRoutes({ fraudDefaults }: FraudDefaultsRoutesServices): Route[] {
  const shared = { tag: 'Organization', keyKind: 'user', path: PATH } as const;
  const presentOf = async (organizationId: string): Promise<z.output<typeof shown>> => ({
    ...present(await fraudDefaults.own(organizationId)),
    effective: present(await fraudDefaults.inForce(organizationId)),
  });
  return [
    route({
      ...shared,
      method: 'GET',
      operationId: 'getOrganizationFraudLimits',
      summary: 'Read the default limits against toll fraud',
      summaryAr: 'قراءة الحدود التلقائية للحماية من الاحتيال',
      permission: 'billing:read',
      responses: { 200: { schema: shown, description: 'What the organization sets for its projects' } },
      errors: [],
      handler: async ({ user }) => ({ status: 200, body: await presentOf(user.organizationId) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      operationId: 'setOrganizationFraudLimits',
      summary: 'Set the default limits against toll fraud',
      summaryAr: 'تحديد الحدود التلقائية للحماية من الاحتيال',
      description:
        'For members of all projects. They apply to projects and agents that say nothing else. An absent member is the default of the operator, null is no limit. Blocks that are in force stay.',
      permission: 'billing:write',
      body: defaults,
      auditFields: ['project', 'agents', 'ends_calls'],
      responses: { 200: { schema: shown, description: 'The defaults as they are now' } },
      errors: [],
      handler: async ({ user, body: { project, agents, ends_calls } }) => {
        assertOfAllProjects(user);
        const limits = { project: storedFraudLimits(project), agents: storedFraudLimits(agents) };
        await fraudDefaults.set(user.organizationId, { limits, ends_calls });
        return { status: 200, body: await presentOf(user.organizationId) };
      },
    }),
  ];
}

function present({ limits: { project, agents }, ends_calls }: FraudDefaults): z.output<typeof defaults> {
  return { project: presentFraudLimits(project), agents: presentFraudLimits(agents), ends_calls };
}
