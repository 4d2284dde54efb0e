import { z } from 'zod';
import type { OrganizationRow } from '../../../core/data/rows.js';
import { FLAG_DEFAULTS } from '../../../core/model/flags.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { AdministerOrganizations } from '../../../core/services/administration/organizations.js';
import { cursorPage } from '../../http/paging.js';
import { given } from '../../http/request/given.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from './administrator.js';
import { assertPrivate } from '../accounts/private.js';
import { presentSoftphone, softphoneObject } from '../accounts/softphone.js';
import { presentUser, userObject } from './users.js';

const TIERS = ['sandbox', 'production'] as const;

const organizationObject = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    tier: z.enum(TIERS),
    flags: z.record(z.string(), z.boolean()).describe('Set for the organization; the others are as in the environment'),
    contact_email: z.string().nullable().describe('Where the platform writes to the owner'),
    suspended_at: timeOutput.nullable().describe('Since when its keys and sessions are refused'),
    ended_at: timeOutput.nullable().describe('Since when it is deleted, but for what the law keeps'),
    created_at: timeOutput,
  })
  .meta({ id: 'AdministeredOrganization' });

const projectObject = z.strictObject({ id: idOutput, name: z.string() });
const withProjects = organizationObject.extend({ projects: z.array(projectObject) });
const flag = z.enum(Object.keys(FLAG_DEFAULTS) as [keyof typeof FLAG_DEFAULTS, ...(keyof typeof FLAG_DEFAULTS)[]]);
const name = z.string().trim().min(1).max(100);

const params = z.strictObject({ organization_id: idParam('NOT_FOUND') });

export interface AdministeredOrganizationsServices {
  readonly organizations: AdministerOrganizations;
}

/** The customers of the installation. */
export function administeredOrganizationRoutes({ organizations }: AdministeredOrganizationsServices): Route[] {
  const read = async (row: OrganizationRow): Promise<z.output<typeof withProjects>> => {
    const projects = await organizations.projectsOf(row.id);
    return { ...present(row), projects: projects.map(({ id, name: title }) => ({ id, name: title })) };
  };
  return [
    route({
      ...writing,
      path: '/v1/admin/organizations',
      operationId: 'createOrganization',
      summary: 'Create an organization',
      summaryAr: 'إنشاء مؤسسة',
      description:
        'With its first project, its owner and a softphone that every engine knows: all or nothing. A sandbox organization also gets a call flow ' +
        'and a number of the sandbox, and its softphone cannot call outside numbers. Without a `password`, the owner gets a mail with a link to ' +
        'choose one, which works for seven days.',
      body: z.strictObject({
        name,
        tier: z.enum(TIERS),
        owner: z.strictObject({
          email: z.string().max(254),
          name,
          locale: z.enum(['ar', 'en']).default('ar').describe('Language of mails'),
          password: z.string().max(1000).optional(),
        }),
      }),
      auditFields: ['name', 'tier'],
      responses: {
        201: {
          schema: z.strictObject({
            organization: organizationObject,
            project: projectObject,
            owner: userObject,
            softphone: softphoneObject,
          }),
          description: 'What was made. The SIP password is shown only here',
        },
      },
      errors: ['PASSWORD_VALIDATION_FAILED', 'ADMIN_ORG_OWNER_EMAIL_TAKEN', 'PBX_PROVISIONING_FAILED'],
      handler: async ({ body: { owner, ...wanted }, isPrivate, note }) => {
        if (owner.password !== undefined) assertPrivate({ isPrivate });
        const made = await organizations.create({ ...wanted, owner: { ...owner, password: owner.password ?? null } });
        const { organization, project } = made;
        note({ organizationId: organization.id, projectId: project.id, details: { owner_id: made.owner.id } });
        return {
          status: 201,
          body: {
            organization: present(organization),
            project: { id: project.id, name: project.name },
            owner: presentUser(made.owner),
            softphone: presentSoftphone(made),
          },
        };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/organizations',
      operationId: 'listOrganizations',
      summary: 'List the organizations',
      summaryAr: 'عرض المؤسسات',
      description: 'Newest first.',
      query: z.strictObject({
        ...cursorQuery,
        tier: z.enum(TIERS).optional(),
        suspended: z.enum(['true', 'false']).optional(),
        name: z.string().max(100).optional().describe('A part of the name'),
      }),
      responses: { 200: { schema: cursorList(organizationObject), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit, tier, suspended, name: part }, cursors }) => {
        const filter = {
          ...(tier === undefined ? {} : { tier }),
          ...(suspended === undefined ? {} : { suspended: suspended === 'true' }),
          ...(part === undefined ? {} : { name: part }),
        };
        const rows = await organizations.list(filter, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/organizations/:organization_id',
      operationId: 'getOrganizationAsAdministrator',
      summary: 'Read an organization',
      summaryAr: 'قراءة مؤسسة',
      params,
      responses: { 200: { schema: withProjects, description: 'The organization with its projects' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { organization_id: id } }) => ({
        status: 200,
        body: await read(await organizations.get(id)),
      }),
    }),
    route({
      ...byAdministrator,
      method: 'PATCH',
      path: '/v1/admin/organizations/:organization_id',
      operationId: 'changeOrganizationAsAdministrator',
      summary: 'Change, suspend or lift an organization',
      summaryAr: 'تعديل مؤسسة أو إيقافها أو رفع إيقافها',
      description:
        'While an organization is suspended, its keys and sessions are refused with `INSUFFICIENT_PERMISSIONS`, in every process within two seconds. Its live calls continue. Absent members stay unchanged.',
      params,
      body: z.strictObject({
        name: name.optional(),
        tier: z.enum(TIERS).optional(),
        contact_email: z.string().max(254).nullable().optional(),
        flags: z.partialRecord(flag, z.boolean().nullable()).optional().describe('Null: as in the environment'),
        suspended: z.boolean().optional(),
      }),
      responses: { 200: { schema: withProjects, description: 'The organization as it is now' } },
      errors: ['NOT_FOUND', 'ORGANIZATION_ENDED'],
      handler: async ({ params: { organization_id: id }, body, note }) => {
        const { before, after } = await organizations.change(id, given(body));
        note({ organizationId: id, details: { before: settingsOf(before), after: settingsOf(after) } });
        return { status: 200, body: await read(after) };
      },
    }),
  ];
}

/** What an administrator may change, for the audit log. */
function settingsOf(row: OrganizationRow): Readonly<Record<string, unknown>> {
  const { id: _, created_at: _created, ended_at: _ended, ...settings } = present(row);
  return settings;
}

function present(row: OrganizationRow): z.output<typeof organizationObject> {
  const { id, flags, contact_email } = row;
  return {
    ...{ id, name: row.name, tier: row.account_kind, flags: { ...flags }, contact_email },
    suspended_at: isoTime(row.suspended_at),
    ended_at: isoTime(row.ended_at),
    created_at: isoTime(row.created_at),
  };
}
