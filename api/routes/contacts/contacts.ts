import { z } from 'zod';
import { searchedWords } from '../../../core/model/contacts/search.js';
import type { ContactService } from '../../../core/services/contacts/contacts.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { given } from '../../http/request/given.js';
import { route, type Route } from '../../http/route.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorList, cursorQuery, idInput, idParam } from '../../http/schema/schemas.js';
import {
  contactEmail,
  contactObject,
  contactPhone,
  contactSettings,
  customFieldChanges,
  customFields,
  presentContact,
  tagInput,
} from './contact-fields.js';

export interface ContactRoutesServices {
  readonly contacts: ContactService;
}

/** What all routes of contacts and groups have. */
export const CONTACTS = { tag: 'Contacts', flag: 'messages', keyKind: 'any' } as const;

const createBody = z.strictObject({
  phone: contactSettings.phone.default(null),
  email: contactSettings.email.default(null),
  name_en: contactSettings.name_en.default(null),
  name_ar: contactSettings.name_ar.default(null),
  language: contactSettings.language.default('ar'),
  time_zone: contactSettings.time_zone.default(null),
  tags: contactSettings.tags.default([]),
  custom_fields: customFields.default({}),
  marketing_opted_out: contactSettings.marketing_opted_out.optional(),
});
const changeBody = z.strictObject({ ...contactSettings, custom_fields: customFieldChanges }).partial();

const NO_WORD = bilingual('must have at least one letter or digit', 'يجب أن يحتوي على حرف أو رقم واحد على الأقل');
const search = z
  .string()
  .max(100)
  .describe('Beginnings of words of the names, of the e-mail address and of the number; all must be found')
  .meta({ examples: ['ريم'] })
  .transform((text, ctx) => {
    const words = searchedWords(text);
    if (words.length > 0) return words;
    ctx.addIssue({ code: 'custom', message: NO_WORD });
    return z.NEVER;
  });

const listQuery = z.strictObject({
  ...cursorQuery,
  search: search.optional(),
  phone: contactPhone.optional(),
  email: contactEmail.optional(),
  tag: tagInput.optional(),
  group_id: idInput.optional(),
});

const params = z.strictObject({ id: idParam('NOT_FOUND') });

const SEARCH =
  'Newest first. `search` takes no notice of case, accents, vowel marks, tatweel and the forms of alef, ya and ta marbuta, ' +
  'and finds a number by any of its digits from the fourth-last on, in the national form too.';

/** The people that a project writes to. */
export function contactRoutes({ contacts }: ContactRoutesServices): Route[] {
  const reading = { ...CONTACTS, method: 'GET', scope: 'contacts:read' } as const;
  const writing = { ...CONTACTS, scope: 'contacts:write' } as const;
  return [
    route({
      ...writing,
      method: 'POST',
      path: '/v1/contacts',
      operationId: 'createContact',
      summary: 'Create a contact',
      summaryAr: 'إنشاء جهة اتصال',
      description:
        'A contact has a number, an e-mail address, or both; the project has one contact for each. Of two requests with the same number at the same time, one answers `CONTACT_DUPLICATE`. A contact of a sandbox key is a sandbox contact.',
      body: createBody,
      responses: { 201: { schema: contactObject, description: 'The contact' } },
      errors: ['INVALID_PHONE_NUMBER', 'CONTACT_DUPLICATE', 'CONSENT_LOCKED_BY_END_USER'],
      handler: async ({ caller, body }) => {
        const owner = { ...kindOf({ caller }), organizationId: caller.organizationId };
        return { status: 201, body: presentContact(await contacts.create(owner, body, caller.id)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/contacts',
      operationId: 'listContacts',
      summary: 'List and search contacts',
      summaryAr: 'عرض جهات الاتصال والبحث فيها',
      description: SEARCH,
      query: listQuery,
      responses: { 200: { schema: cursorList(contactObject), description: 'One page of contacts' } },
      errors: ['INVALID_PHONE_NUMBER'],
      handler: async ({ caller, query, cursors }) => {
        const { cursor, limit, search: words, group_id: groupId, ...filter } = query;
        const wanted = { ...filter, words, groupId };
        const rows = await contacts.page(scopeOf({ caller }), wanted, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentContact) };
      },
    }),
    route({
      ...reading,
      path: '/v1/contacts/:id',
      operationId: 'getContact',
      summary: 'Read a contact',
      summaryAr: 'قراءة جهة اتصال',
      params,
      responses: { 200: { schema: contactObject, description: 'The contact' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: presentContact(await contacts.get(scopeOf({ caller }), id)),
      }),
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/contacts/:id',
      operationId: 'changeContact',
      summary: 'Change a contact',
      summaryAr: 'تعديل جهة اتصال',
      description:
        'Members that are absent stay. `tags` replaces all tags; of `custom_fields`, only the fields that are named change. A change at the same moment is made first or afterwards: neither loses the other’s fields.',
      params,
      body: changeBody,
      responses: { 200: { schema: contactObject, description: 'The contact as it is now' } },
      errors: ['NOT_FOUND', 'INVALID_PHONE_NUMBER', 'CONTACT_DUPLICATE', 'CONSENT_LOCKED_BY_END_USER'],
      handler: async ({ caller, params: { id }, body }) => ({
        status: 200,
        body: presentContact(await contacts.change(kindOf({ caller }), id, given(body), caller.id)),
      }),
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/contacts/:id',
      operationId: 'deleteContact',
      summary: 'Delete a contact',
      summaryAr: 'حذف جهة اتصال',
      description:
        'Removes it from its groups, too. To erase everything that you hold of a person, use `POST /v1/privacy/erasures`.',
      params,
      responses: { 204: { schema: null, description: 'Deleted' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => {
        await contacts.remove(kindOf({ caller }), id);
        return { status: 204 };
      },
    }),
  ];
}
