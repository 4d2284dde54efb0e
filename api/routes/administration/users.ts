import { z } from 'zod';
import type { UserRow } from '../../../core/data/rows.js';
import { ROLES } from '../../../core/model/access/roles.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { AdministerUsers } from '../../../core/services/administration/users.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam } from '../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from './administrator.js';

export const userObject = z
  .strictObject({
    id: idOutput,
    organization_id: idOutput,
    email: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    project_ids: z.array(idOutput).nullable().describe('Null: all of the organization'),
    email_confirmed: z.boolean(),
    has_password: z.boolean(),
    disabled_at: timeOutput.nullable(),
    last_sign_in_at: timeOutput.nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'AdministeredUser' });

const params = z.strictObject({ user_id: idParam('ADMIN_USER_NOT_FOUND') });

/** The users of all organizations. */
export function administeredUserRoutes({ users }: { readonly users: AdministerUsers }): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/users',
      operationId: 'listUsers',
      summary: 'List the users of all organizations',
      summaryAr: 'عرض مستخدمي جميع المؤسسات',
      description: 'Newest first.',
      query: z.strictObject({
        ...cursorQuery,
        organization_id: idInput.optional(),
        q: z.string().max(254).optional().describe('A part of the e-mail address or the name'),
      }),
      responses: { 200: { schema: cursorList(userObject), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit, organization_id, q }, cursors }) => {
        const filter = {
          ...(organization_id === undefined ? {} : { organization_id }),
          ...(q === undefined ? {} : { text: q }),
        };
        const rows = await users.list(filter, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentUser) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/users/:user_id',
      operationId: 'getUser',
      summary: 'Read a user',
      summaryAr: 'قراءة بيانات مستخدم',
      params,
      responses: { 200: { schema: userObject, description: 'The user' } },
      errors: ['ADMIN_USER_NOT_FOUND'],
      handler: async ({ params: { user_id } }) => ({ status: 200, body: presentUser(await users.get(user_id)) }),
    }),
    route({
      ...byAdministrator,
      method: 'PATCH',
      path: '/v1/admin/users/:user_id',
      operationId: 'changeUser',
      summary: 'Disable or enable a user',
      summaryAr: 'تعطيل مستخدم أو تفعيله',
      description: 'Disabling ends every session of the user, in every process within two seconds.',
      params,
      body: z.strictObject({ disabled: z.boolean() }),
      responses: { 200: { schema: userObject, description: 'The user as it is now' } },
      errors: ['ADMIN_USER_NOT_FOUND'],
      handler: async ({ params: { user_id }, body: { disabled }, note }) => {
        const { before, after } = await users.setDisabled(user_id, disabled);
        const change = { before: { disabled: before.disabled_at !== null }, after: { disabled } };
        note({ organizationId: after.organization_id, details: { email: after.email, ...change } });
        return { status: 200, body: presentUser(after) };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/users/:user_id/sessions',
      operationId: 'endSessionsOfUser',
      summary: 'End every session of a user',
      summaryAr: 'إنهاء جميع جلسات مستخدم',
      params,
      responses: { 204: { schema: null, description: 'They end in every process within two seconds' } },
      errors: ['ADMIN_USER_NOT_FOUND'],
      handler: async ({ params: { user_id }, note }) => {
        const { organization_id, email } = await users.endSessions(user_id);
        note({ organizationId: organization_id, details: { email } });
        return { status: 204 };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/users/:user_id/impersonate',
      operationId: 'impersonateUser',
      summary: 'See what a user sees',
      summaryAr: 'عرض المنصة كما يراها مستخدم',
      description:
        'Starts a session of 30 minutes that reads as the user and changes nothing; it cannot be renewed. The organization’s audit log shows it, and every request made in it.',
      params,
      body: z.strictObject({ reason: z.string().trim().min(1).max(250).describe('Shown in the audit log') }),
      auditFields: ['reason'],
      responses: {
        201: {
          schema: z.strictObject({
            session_id: idOutput,
            access_token: z.string(),
            expires_in: z.int().describe('Seconds'),
            user: userObject,
          }),
          description: 'The session',
        },
      },
      errors: ['ADMIN_USER_NOT_FOUND'],
      handler: async ({ params: { user_id }, administrator, ip, userAgent, note }) => {
        const made = await users.impersonate(user_id, administrator.id, { ip, userAgent });
        const { user, sessionId: session_id, accessToken: access_token, expiresInSeconds: expires_in } = made;
        note({ organizationId: user.organization_id, details: { email: user.email, session_id } });
        return { status: 201, body: { session_id, access_token, expires_in, user: presentUser(user) } };
      },
    }),
  ];
}

export function presentUser(row: UserRow): z.output<typeof userObject> {
  const { id, organization_id, email, name, role, project_ids } = row;
  return {
    ...{ id, organization_id, email, name, role, project_ids: project_ids && [...project_ids] },
    email_confirmed: row.email_confirmed_at !== null,
    has_password: row.password_hash !== null,
    disabled_at: isoTime(row.disabled_at),
    last_sign_in_at: isoTime(row.last_sign_in_at),
    created_at: isoTime(row.created_at),
  };
}
