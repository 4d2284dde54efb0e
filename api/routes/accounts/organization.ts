import { z } from 'zod';
import type { OrganizationRow } from '../../../core/data/rows.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { OrganizationService } from '../../../core/services/accounts/organization.js';
import { route, type Route } from '../../http/route.js';

const TAG = 'Organization';

const name = z.string().trim().min(1).max(100);
const settable = {
  name,
  contact_email: z.email().max(254).nullable().describe('Where the platform writes to the owner'),
  key_reveal: z.boolean().describe('Whether owners and admins can reveal the secret of a key for 30 days'),
  session_idle_minutes: z.int().min(5).max(43_200).describe('A session that is not used for this long ends'),
  second_factor_required: z.boolean().describe('Whether every member needs a second factor to sign in'),
};

const organizationObject = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    tier: z.enum(['sandbox', 'production']),
    contact_email: z.string().nullable(),
    key_reveal: settable.key_reveal,
    session_idle_minutes: settable.session_idle_minutes,
    second_factor_required: settable.second_factor_required,
    created_at: timeOutput,
  })
  .meta({ id: 'Organization' });

export function organizationRoutes({ organization }: { readonly organization: OrganizationService }): Route[] {
  const shared = { tag: TAG, keyKind: 'user', path: '/v1/organization' } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      operationId: 'getOrganization',
      summary: 'Read your organization',
      summaryAr: 'قراءة مؤسستك',
      permission: null,
      responses: { 200: { schema: organizationObject, description: 'The organization' } },
      errors: [],
      handler: async ({ user }) => ({ status: 200, body: present(await organization.get(user)) }),
    }),
    route({
      ...shared,
      method: 'PATCH',
      operationId: 'changeOrganization',
      summary: 'Change your organization',
      summaryAr: 'تعديل مؤسستك',
      description:
        'For members of all projects. If `key_reveal` is switched off, the kept secrets are deleted at once. The audit log keeps each ' +
        'setting before and after.',
      permission: 'members:write',
      body: z.strictObject(settable).partial(),
      auditFields: ['name', 'key_reveal', 'session_idle_minutes', 'second_factor_required'],
      responses: { 200: { schema: organizationObject, description: 'The organization as it is now' } },
      errors: [],
      handler: async ({ user, body, note }) => {
        const { organization: changed, before, after } = await organization.change(user, body);
        note({ details: { before, after } });
        return { status: 200, body: present(changed) };
      },
    }),
  ];
}

function present(row: OrganizationRow): z.output<typeof organizationObject> {
  const { id, name, account_kind, contact_email, key_reveal, session_idle_minutes, second_factor_required } = row;
  return {
    id,
    name,
    tier: account_kind,
    contact_email,
    key_reveal,
    session_idle_minutes,
    second_factor_required,
    created_at: isoTime(row.created_at),
  };
}
