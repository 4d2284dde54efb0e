import { z } from 'zod';
import { userResource, type KeptUser } from '../../../core/model/scim/user.js';
import { USER_SCHEMA } from '../../../core/model/scim/urns.js';
import type { ScimUsers } from '../../../core/services/scim/users.js';
import { route, type Route } from '../../http/route.js';
import {
  baseOf,
  CHANGE_ERRORS,
  chosen,
  listed,
  listObject,
  listQuery,
  pageOf,
  patchBody,
  resourceObject,
  resourceParams,
  resourceQuery,
  shared,
} from './fields.js';

const sent = z.looseObject({
  schemas: z.array(z.string()).optional().describe(`Contains \`${USER_SCHEMA}\``),
  userName: z.string().optional().describe('Required: an e-mail address in a verified domain'),
  externalId: z.string().nullish(),
  displayName: z.string().nullish(),
  active: z
    .union([z.boolean(), z.string(), z.null()])
    .optional()
    .describe('False: the member loses all access at once'),
});

const LEAVER =
  'A member who is taken out loses every session within two seconds in every process, and the API keys that the member made unless ' +
  '`keys_of_leavers` is `keep`.';

export interface ScimUserRoutesServices {
  readonly users: ScimUsers;
  readonly publicUrl: () => string;
}

/** Members, for the directory of an organization (RFC 7644 §3). */
export function scimUserRoutes({ users, publicUrl }: ScimUserRoutesServices): Route[] {
  const present = (user: KeptUser) => userResource(user, baseOf(publicUrl()));
  const audited = { auditFields: ['active', 'externalId'] };
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/Users',
      operationId: 'scimListUsers',
      summary: 'List users',
      summaryAr: 'عرض المستخدمين',
      description:
        'Every member of the organization, also those that the directory did not make. Filters: `id`, `userName`, `externalId`, `emails.value`, `active`.',
      query: listQuery,
      responses: { 200: { schema: listObject, description: 'One page of users' } },
      errors: ['SCIM_REQUEST_INVALID'],
      handler: async ({ directory, query }) => {
        const wanted = pageOf(query);
        return { status: 200, body: listed(await users.page(directory, wanted), wanted.startIndex, query, present) };
      },
    }),
    route({
      ...shared,
      ...audited,
      method: 'POST',
      path: '/scim/v2/Users',
      operationId: 'scimCreateUser',
      summary: 'Create a user',
      summaryAr: 'إنشاء مستخدم',
      description:
        'Makes a member with the default role of the organization; without one, the member waits without access until a group gives a role. ' +
        'Attributes that are not in `/scim/v2/Schemas` are not kept.',
      body: sent,
      responses: { 201: { schema: resourceObject, description: 'The user' } },
      errors: ['SCIM_REQUEST_INVALID', 'SCIM_CONFLICT'],
      handler: async ({ directory, body, note }) => {
        const made = await users.create(directory, body);
        note({ details: { email: made.email } });
        return {
          status: 201,
          body: chosen(present(made), {}),
          headers: { Location: `${baseOf(publicUrl())}/Users/${made.id}` },
        };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/Users/:id',
      operationId: 'scimGetUser',
      summary: 'Read a user',
      summaryAr: 'قراءة مستخدم',
      params: resourceParams,
      query: resourceQuery,
      responses: { 200: { schema: resourceObject, description: 'The user' } },
      errors: ['NOT_FOUND'],
      handler: async ({ directory, params: { id }, query }) => ({
        status: 200,
        body: chosen(present(await users.get(directory, id)), query),
      }),
    }),
    route({
      ...shared,
      ...audited,
      method: 'PUT',
      path: '/scim/v2/Users/:id',
      operationId: 'scimReplaceUser',
      summary: 'Replace a user',
      summaryAr: 'استبدال بيانات مستخدم',
      description: LEAVER,
      params: resourceParams,
      body: sent,
      responses: { 200: { schema: resourceObject, description: 'The user as it is now' } },
      errors: CHANGE_ERRORS,
      handler: async ({ directory, params: { id }, body, note }) => {
        const made = await users.replace(directory, id, body);
        note({ details: { email: made.email } });
        return { status: 200, body: chosen(present(made), {}) };
      },
    }),
    route({
      ...shared,
      method: 'PATCH',
      path: '/scim/v2/Users/:id',
      operationId: 'scimChangeUser',
      summary: 'Change a user',
      summaryAr: 'تعديل مستخدم',
      description: `All operations, or none of them. ${LEAVER}`,
      params: resourceParams,
      body: patchBody,
      responses: { 200: { schema: resourceObject, description: 'The user as it is now' } },
      errors: CHANGE_ERRORS,
      handler: async ({ directory, params: { id }, body, note }) => {
        const made = await users.patch(directory, id, body.Operations);
        note({ details: { email: made.email, active: made.active } });
        return { status: 200, body: chosen(present(made), {}) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/scim/v2/Users/:id',
      operationId: 'scimRemoveUser',
      summary: 'Remove a user',
      summaryAr: 'إزالة مستخدم',
      description: `Deletes the member. ${LEAVER} The last owner cannot be removed.`,
      params: resourceParams,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND', 'LAST_OWNER'],
      handler: async ({ directory, params: { id } }) => {
        await users.remove(directory, id);
        return { status: 204 };
      },
    }),
  ];
}
