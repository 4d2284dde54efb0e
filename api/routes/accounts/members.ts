import { z } from 'zod';
import { ROLES } from '../../../core/model/access/roles.js';
import type { UserRow } from '../../../core/data/rows.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { MemberService } from '../../../core/services/accounts/members.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { agentExtension, projectIds } from './member-fields.js';

const TAG = 'Members';

const memberObject = z
  .strictObject({
    id: idOutput,
    email: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    project_ids: z.array(idOutput).nullable().describe('Null: all projects'),
    agent: z.string().nullable().describe('The extension whose calls are the member’s own'),
    disabled: z.boolean(),
    last_sign_in_at: timeOutput.nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'Member' });

const params = z.strictObject({ member_id: idParam('NOT_FOUND') });

export function memberRoutes({ members }: { readonly members: MemberService }): Route[] {
  const shared = { tag: TAG, keyKind: 'user', permission: 'members:write' } as const;
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/members',
      operationId: 'listMembers',
      summary: 'List members',
      summaryAr: 'عرض الأعضاء',
      description: 'The users of the organization, oldest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(memberObject), description: 'One page of members' } },
      errors: [],
      handler: async ({ user, query, cursors }) => {
        const rows = await members.page(user, cursors.read(query.cursor), query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/members/:member_id',
      operationId: 'getMember',
      summary: 'Read a member',
      summaryAr: 'قراءة عضو',
      params,
      responses: { 200: { schema: memberObject, description: 'The member' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user, params: { member_id } }) => ({
        status: 200,
        body: present(await members.get(user, member_id)),
      }),
    }),
    route({
      ...shared,
      method: 'PATCH',
      path: '/v1/members/:member_id',
      operationId: 'changeMember',
      summary: 'Change what a member may do',
      summaryAr: 'تعديل صلاحيات عضو',
      description:
        'The sessions of the member have the new permissions within two seconds. Only an owner gives or takes the role `owner`, and an ' +
        'owner has all projects. Owners who step down at the same moment do so one after another: the last one stays (`LAST_OWNER`).',
      params,
      body: z.strictObject({
        role: z.enum(ROLES).optional(),
        project_ids: projectIds.nullable().optional(),
        agent: agentExtension.nullable().optional(),
      }),
      auditFields: ['role', 'project_ids', 'agent'],
      responses: { 200: { schema: memberObject, description: 'The member as it is now' } },
      errors: ['NOT_FOUND', 'LAST_OWNER'],
      handler: async ({ user, params: { member_id }, body }) => ({
        status: 200,
        body: present(await members.change(user, member_id, body)),
      }),
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/v1/members/:member_id',
      operationId: 'removeMember',
      summary: 'Remove a member',
      summaryAr: 'إزالة عضو',
      description:
        'Deletes the user: every session ends within two seconds, and the address can be invited again, also elsewhere. API keys that the ' +
        'member made stay; rotate those whose secret the member knows.',
      params,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND', 'LAST_OWNER'],
      handler: async ({ user, params: { member_id } }) => {
        await members.remove(user, member_id);
        return { status: 204 };
      },
    }),
  ];
}

function present(row: UserRow): z.output<typeof memberObject> {
  const { id, email, name, role, project_ids, agent, disabled_at, last_sign_in_at, created_at } = row;
  return {
    id,
    email,
    name,
    role,
    project_ids: project_ids && [...project_ids],
    agent,
    disabled: disabled_at !== null,
    last_sign_in_at: isoTime(last_sign_in_at),
    created_at: isoTime(created_at),
  };
}
