import { z } from 'zod';
import { groupResource, type KeptGroup } from '../../../core/model/scim/group.js';
import { GROUP_SCHEMA } from '../../../core/model/scim/urns.js';
import type { ScimGroups } from '../../../core/services/scim/groups.js';
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
  schemas: z.array(z.string()).optional().describe(`Contains \`${GROUP_SCHEMA}\``),
  displayName: z.string().optional().describe('Required'),
  externalId: z.string().nullish(),
  members: z.array(z.looseObject({ value: z.string().describe('The id of a user') })).nullish(),
});

const ROLES_FOLLOW =
  'Members get the role that `group_roles` of `PUT /v1/sso` gives to the name or the external id of their groups, within two seconds in ' +
  'every process.';

export interface ScimGroupRoutesServices {
  readonly groups: ScimGroups;
  readonly publicUrl: () => string;
}

/** Groups of members, for the directory of an organization (RFC 7644 §3). */
export function scimGroupRoutes({ groups, publicUrl }: ScimGroupRoutesServices): Route[] {
  const present = (group: KeptGroup) => groupResource(group, baseOf(publicUrl()));
  const audited = { auditFields: ['displayName', 'externalId'] };
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/Groups',
      operationId: 'scimListGroups',
      summary: 'List groups',
      summaryAr: 'عرض المجموعات',
      description:
        'Filters: `id`, `displayName`, `externalId`, `members.value`. With `excludedAttributes=members` it is quicker.',
      query: listQuery,
      responses: { 200: { schema: listObject, description: 'One page of groups' } },
      errors: ['SCIM_REQUEST_INVALID'],
      handler: async ({ directory, query }) => {
        const wanted = pageOf(query);
        const page = await groups.page(directory, wanted, !/\bmembers\b/i.test(query.excludedAttributes ?? ''));
        return { status: 200, body: listed(page, wanted.startIndex, query, present) };
      },
    }),
    route({
      ...shared,
      ...audited,
      method: 'POST',
      path: '/scim/v2/Groups',
      operationId: 'scimCreateGroup',
      summary: 'Create a group',
      summaryAr: 'إنشاء مجموعة',
      description: ROLES_FOLLOW,
      body: sent,
      responses: { 201: { schema: resourceObject, description: 'The group' } },
      errors: ['SCIM_REQUEST_INVALID', 'SCIM_CONFLICT', 'LAST_OWNER'],
      handler: async ({ directory, body }) => {
        const made = await groups.create(directory, body);
        return {
          status: 201,
          body: chosen(present(made), {}),
          headers: { Location: `${baseOf(publicUrl())}/Groups/${made.id}` },
        };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/scim/v2/Groups/:id',
      operationId: 'scimGetGroup',
      summary: 'Read a group',
      summaryAr: 'قراءة مجموعة',
      params: resourceParams,
      query: resourceQuery,
      responses: { 200: { schema: resourceObject, description: 'The group' } },
      errors: ['NOT_FOUND'],
      handler: async ({ directory, params: { id }, query }) => ({
        status: 200,
        body: chosen(present(await groups.get(directory, id)), query),
      }),
    }),
    route({
      ...shared,
      ...audited,
      method: 'PUT',
      path: '/scim/v2/Groups/:id',
      operationId: 'scimReplaceGroup',
      summary: 'Replace a group',
      summaryAr: 'استبدال بيانات مجموعة',
      description: ROLES_FOLLOW,
      params: resourceParams,
      body: sent,
      responses: { 200: { schema: resourceObject, description: 'The group as it is now' } },
      errors: CHANGE_ERRORS,
      handler: async ({ directory, params: { id }, body }) => ({
        status: 200,
        body: chosen(present(await groups.replace(directory, id, body)), {}),
      }),
    }),
    route({
      ...shared,
      method: 'PATCH',
      path: '/scim/v2/Groups/:id',
      operationId: 'scimChangeGroup',
      summary: 'Change a group',
      summaryAr: 'تعديل مجموعة',
      description: `All operations, or none of them. ${ROLES_FOLLOW}`,
      params: resourceParams,
      body: patchBody,
      responses: { 204: { schema: null, description: 'Changed' } },
      errors: CHANGE_ERRORS,
      handler: async ({ directory, params: { id }, body }) => {
        await groups.patch(directory, id, body.Operations);
        return { status: 204 };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/scim/v2/Groups/:id',
      operationId: 'scimRemoveGroup',
      summary: 'Remove a group',
      summaryAr: 'إزالة مجموعة',
      description: 'Its members stay, and lose the roles that only this group gave.',
      params: resourceParams,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND', 'LAST_OWNER'],
      handler: async ({ directory, params: { id } }) => {
        await groups.remove(directory, id);
        return { status: 204 };
      },
    }),
  ];
}
