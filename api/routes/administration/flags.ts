import { z } from 'zod';
import type { OrganizationRow } from '../../../core/data/rows.js';
import { HatifError } from '../../../core/model/errors/index.js';
import { featuresOf } from '../../../core/model/flags.js';
import { arabic } from '../../../core/model/wording/wording.js';
import type { AdministerOrganizations } from '../../../core/services/administration/organizations.js';
import { route, type Route } from '../../http/route.js';
import { idInput } from '../../http/schema/schemas.js';
import { byAdministrator, reading } from './administrator.js';

export interface AdministeredFlagsServices {
  readonly organizations: Pick<AdministerOrganizations, 'get' | 'change'>;
  /** Of this environment. */
  readonly flags: Readonly<Record<string, boolean>>;
}

const flagObject = z
  .strictObject({
    flag: z.string(),
    on: z.boolean().describe('What applies'),
    organization: z.boolean().nullable().describe('Set for the organization; null: as in the environment'),
    environment: z.boolean(),
  })
  .meta({ id: 'Flag' });
const list = z.strictObject({ data: z.array(flagObject) });

/** The features of organizations. */
export function administeredFlagRoutes({ organizations, flags }: AdministeredFlagsServices): Route[] {
  const present = (organization: OrganizationRow | null): z.output<typeof flagObject>[] =>
    featuresOf(flags, organization?.flags ?? {});
  return [
    route({
      ...reading,
      path: '/v1/admin/flags',
      operationId: 'listFlags',
      summary: 'List the features',
      summaryAr: 'عرض الميزات',
      description: 'Of an organization, or of the environment, which applies to organizations without their own.',
      query: z.strictObject({ organization_id: idInput.optional() }),
      responses: { 200: { schema: list, description: 'Every feature' } },
      errors: ['NOT_FOUND'],
      handler: async ({ query: { organization_id } }) => {
        const found = organization_id === undefined ? null : await organizations.get(organization_id);
        return { status: 200, body: { data: present(found) } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'PUT',
      path: '/v1/admin/flags/:flag',
      operationId: 'setFlag',
      summary: 'Turn a feature on or off for an organization',
      summaryAr: 'تفعيل ميزة لمؤسسة أو تعطيلها',
      description: 'Takes effect within seconds.',
      params: z.strictObject({ flag: z.string() }),
      body: z.strictObject({
        organization_id: idInput,
        on: z.boolean().nullable().describe('Null: as in the environment'),
      }),
      auditFields: ['organization_id', 'on'],
      responses: { 200: { schema: list, description: 'The features of the organization' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { flag }, body: { organization_id, on }, note }) => {
        if (!Object.hasOwn(flags, flag)) {
          throw new HatifError('NOT_FOUND', { what: { en: `the flag ${flag}`, ar: arabic`الميزة ${flag}` } });
        }
        const { before, after } = await organizations.change(organization_id, { flags: { [flag]: on } });
        note({ organizationId: organization_id, details: { flag, before: before.flags[flag] ?? null, after: on } });
        return { status: 200, body: { data: present(after) } };
      },
    }),
  ];
}
