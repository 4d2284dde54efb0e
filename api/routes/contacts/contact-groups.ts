import { z } from 'zod';
import type { ContactGroupRow, GroupMemberRow } from '../../../core/data/rows.js';
import { MAX_GROUP_MEMBERS, MAX_NAME } from '../../../core/model/contacts/contact.js';
import {
  MAX_CONDITIONS,
  MAX_DEPTH,
  segmentRulesSchema,
  TOO_MANY_CONDITIONS,
} from '../../../core/model/contacts/segment.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ContactGroupService, CountedGroup } from '../../../core/services/contacts/groups.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import type { ChunksReply } from '../../http/reply.js';
import { route, type Route } from '../../http/route.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorList, cursorQuery, idInput, idParam } from '../../http/schema/schemas.js';
import { groupMember, presentMember } from './contact-fields.js';
import { CONTACTS } from './contacts.js';

export interface ContactGroupRoutesServices {
  readonly groups: ContactGroupService;
}

const MOST_IDS = 1_000;

const fields = { id: idOutput, name: z.string(), created_at: timeOutput };

/** A group as lists show it. */
const groupObject = z
  .strictObject({
    ...fields,
    kind: z.enum(['manual', 'dynamic']).describe('`dynamic`: the members follow from `rules`'),
    rules: z.record(z.string(), z.unknown()).nullable(),
    members_count: z.int().nullable().describe('Null for a dynamic group: its members are found when they are read'),
    sandbox: z.boolean(),
    updated_at: timeOutput,
  })
  .meta({ id: 'ContactGroup' });

/** A group with all of its members. */
const wholeGroup = z.strictObject({ ...fields, members: z.array(groupMember) }).meta({ id: 'ContactGroupWithMembers' });

bilingual(TOO_MANY_CONDITIONS, `يجب ألا تزيد الشروط على ${MAX_CONDITIONS}، ولا مستويات تداخلها على ${MAX_DEPTH}`);
const name = z.string().trim().min(1).max(MAX_NAME);
const rules = segmentRulesSchema.describe('Conditions on contacts: all of them hold for a member, or any').meta({
  examples: [{ match: 'all', conditions: [{ field: 'tag', op: 'has', value: 'vip' }] }],
});
const createBody = z.strictObject({
  name,
  rules: rules.optional().describe('Makes a dynamic group: every contact for which the rules hold is a member'),
});
const changeBody = z.strictObject({ name, rules }).partial();
const membersBody = z.strictObject({ contact_ids: z.array(idInput).min(1).max(MOST_IDS) });
const addedObject = z.strictObject({ added: z.int().describe('How many of the contacts were no members before') });

const params = z.strictObject({ id: idParam('NOT_FOUND') });
const memberParams = z.strictObject({ id: idParam('NOT_FOUND'), contact_id: idParam('NOT_FOUND') });

const reading = { ...CONTACTS, method: 'GET', scope: 'contacts:read' } as const;
const writing = { ...CONTACTS, scope: 'contacts:write' } as const;

/** Groups of contacts: the organization chooses the members, or rules do. */
export function contactGroupRoutes({ groups }: ContactGroupRoutesServices): Route[] {
  return [...groupRoutes(groups), ...memberRoutes(groups)];
}

function groupRoutes(groups: ContactGroupService): Route[] {
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/contact-groups',
      operationId: 'createContactGroup',
      summary: 'Create a contact group',
      summaryAr: 'إنشاء مجموعة جهات اتصال',
      description:
        'Names of groups are unique in a project, whatever their case. Without `rules`, you choose the members; with them, each contact for which they hold is a member from that moment on.',
      body: createBody,
      auditFields: ['name'],
      responses: { 201: { schema: groupObject, description: 'The group' } },
      errors: ['CONTACT_LIMIT_EXCEEDED'],
      handler: async ({ caller, body }) => {
        const owner = { ...kindOf({ caller }), organizationId: caller.organizationId };
        return { status: 201, body: presentGroup(await groups.create(owner, body.name, body.rules ?? null)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/contact-groups',
      operationId: 'listContactGroups',
      summary: 'List contact groups',
      summaryAr: 'عرض مجموعات جهات الاتصال',
      description: 'Newest first, with the number of their members.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(groupObject), description: 'One page of groups' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit }, cursors }) => {
        const rows = await groups.page(scopeOf({ caller }), cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentGroup) };
      },
    }),
    route({
      ...reading,
      path: '/v1/contact-groups/:id',
      operationId: 'getContactGroup',
      summary: 'Read a contact group with its members',
      summaryAr: 'قراءة مجموعة جهات اتصال بأعضائها',
      description: `All members, up to ${MAX_GROUP_MEMBERS}; \`GET /v1/contact-groups/{id}/members\` pages them.`,
      params,
      responses: { 200: { schema: wholeGroup, description: 'The group with all of its members' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        const group = await groups.get(scopeOf({ caller }), id);
        return wholeGroupReply(group, groups.allMembers(group));
      },
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/contact-groups/:id',
      operationId: 'changeContactGroup',
      summary: 'Change a contact group',
      summaryAr: 'تعديل مجموعة جهات اتصال',
      description: 'Its name, or the rules of a dynamic group. A group stays what it is: `manual` or `dynamic`.',
      params,
      body: changeBody,
      auditFields: ['name'],
      responses: { 200: { schema: groupObject, description: 'The group as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id }, body }) => ({
        status: 200,
        body: presentGroup(await groups.change(kindOf({ caller }), id, body)),
      }),
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/contact-groups/:id',
      operationId: 'deleteContactGroup',
      summary: 'Delete a contact group',
      summaryAr: 'حذف مجموعة جهات اتصال',
      description: 'Its members stay contacts.',
      params,
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        await groups.remove(kindOf({ caller }), id);
        return { status: 204 };
      },
    }),
  ];
}

function memberRoutes(groups: ContactGroupService): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/contact-groups/:id/members',
      operationId: 'listContactGroupMembers',
      summary: 'List the members of a contact group',
      summaryAr: 'عرض أعضاء مجموعة جهات اتصال',
      description: 'The oldest contacts first.',
      params,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(groupMember), description: 'One page of members' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id }, query: { cursor, limit }, cursors }) => {
        const rows = await groups.members(scopeOf({ caller }), id, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ contact_id }) => contact_id, presentMember) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/contact-groups/:id/members',
      operationId: 'addContactGroupMembers',
      summary: 'Add contacts to a group',
      summaryAr: 'إضافة جهات اتصال إلى مجموعة',
      description: `All of them, or none if one is unknown. A dynamic group takes none. Those that are members already stay. A group has at most ${MAX_GROUP_MEMBERS} members, also if others are added at the same moment.`,
      params,
      body: membersBody,
      responses: { 200: { schema: addedObject, description: 'They are members now' } },
      errors: ['NOT_FOUND', 'CONTACT_LIMIT_EXCEEDED'],
      handler: async ({ caller, params: { id }, body: { contact_ids } }) => ({
        status: 200,
        body: { added: await groups.addMembers(kindOf({ caller }), id, contact_ids) },
      }),
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/contact-groups/:id/members/:contact_id',
      operationId: 'removeContactGroupMember',
      summary: 'Remove a contact from a group',
      summaryAr: 'إزالة جهة اتصال من مجموعة',
      description: 'The contact itself stays.',
      params: memberParams,
      responses: { 204: { schema: null, description: 'No member any more' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id, contact_id } }) => {
        await groups.removeMember(kindOf({ caller }), id, contact_id);
        return { status: 204 };
      },
    }),
  ];
}

function presentGroup(row: CountedGroup): z.output<typeof groupObject> {
  const { id, members_count, sandbox } = row;
  return {
    ...{ id, name: row.name, kind: row.rules === null ? ('manual' as const) : ('dynamic' as const) },
    ...{ rules: row.rules === null ? null : { ...row.rules }, members_count, sandbox },
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

type MemberPages = AsyncGenerator<readonly GroupMemberRow[]>;

/** The group as JSON that is made while it is sent: it may have a hundred thousand members. The first page is awaited. */
async function wholeGroupReply(group: ContactGroupRow, pages: MemberPages): Promise<ChunksReply> {
  const first = await pages.next();
  const shown = { id: group.id, name: group.name, created_at: isoTime(group.created_at) };
  const head = JSON.stringify(shown).slice(0, -1);
  return {
    status: 200,
    contentType: 'application/json; charset=utf-8',
    chunks: groupChunks(`${head},"members":[`, first, pages),
  };
}

async function* groupChunks(
  head: string,
  first: IteratorResult<readonly GroupMemberRow[], unknown>,
  pages: MemberPages,
): AsyncGenerator<string> {
  yield head;
  if (first.done !== true) {
    yield textOf(first.value);
    for await (const page of pages) yield `,${textOf(page)}`;
  }
  yield ']}';
}

/** Members without the brackets around them. */
function textOf(page: readonly GroupMemberRow[]): string {
  return page.map((row) => JSON.stringify(presentMember(row))).join(',');
}
