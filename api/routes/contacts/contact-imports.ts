import { z } from 'zod';
import type { ContactImportRow, ImportFaultRow } from '../../../core/data/rows.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ContactImportService } from '../../../core/services/contacts/import/imports.js';
import { MAX_IMPORT_LINES } from '../../../core/services/contacts/import/read-file.js';
import { kindOf, scopeOf } from '../../http/caller.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam } from '../../http/schema/schemas.js';
import { CONTACTS } from './contacts.js';

export interface ContactImportRoutesServices {
  readonly imports: ContactImportService;
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const EXISTING = ['update', 'skip'] as const;

const importObject = z
  .strictObject({
    id: idOutput,
    status: z.enum(['waiting', 'running', 'completed', 'failed']),
    problem: z
      .enum(['group_deleted', 'group_full', 'fault'])
      .nullable()
      .describe(
        '`group_deleted`, `group_full`: the contacts were imported, but not all of them joined the group; `fault`: the rest of the file was not imported',
      ),
    file_name: z.string(),
    existing: z.enum(EXISTING),
    group_id: idOutput.nullable(),
    lines: z
      .strictObject({
        total: z.int(),
        processed: z.int(),
        created: z.int().describe('Lines that made a contact'),
        updated: z.int().describe('Lines that changed a contact'),
        unchanged: z.int().describe('Lines that said nothing new of a contact'),
        skipped: z.int().describe('Lines of contacts that exist, with `existing` `skip`'),
        failed: z.int().describe('Lines with an error'),
      })
      .describe('`processed` is the sum of the five numbers after it'),
    sandbox: z.boolean(),
    created_at: timeOutput,
    finished_at: timeOutput.nullable(),
  })
  .meta({ id: 'ContactImport' });

const lineError = z
  .strictObject({
    line: z.int().describe('Number of the line in the file, from 1; line 1 names the columns'),
    column: z.string().nullable().describe('Null: the whole line'),
    code: z.string().meta({ examples: ['INVALID_PHONE_NUMBER'] }),
    message: z.string(),
    message_ar: z.string(),
  })
  .meta({ id: 'ContactImportError' });

const body = z.strictObject({
  existing: z
    .enum(EXISTING)
    .default('update')
    .describe('What happens to contacts that exist: `update` changes what the line says, `skip` leaves them'),
  group_id: idInput.optional().describe('A group that the contacts of the file join'),
});
const params = z.strictObject({ id: idParam('NOT_FOUND') });

const reading = { ...CONTACTS, method: 'GET', scope: 'contacts:read' } as const;

const FORM = [
  `A CSV file (UTF-8) of at most ${MAX_IMPORT_LINES} lines. The first line names the columns: \`phone\`, \`email\`, \`name_en\`, \`name_ar\`, \`language\`, \`time_zone\`, \`tags\` (separated by semicolons), \`marketing_opted_out\`, and \`custom.<name>\`, \`custom.<name>:number\` or \`custom.<name>:boolean\` for custom fields.`,
  'A line belongs to the contact that has its number, or else its e-mail address; without one, it makes a contact. An empty value changes nothing; tags and custom fields are added.',
  'A line with an error is reported and not imported; the others are. A file that is no CSV or has an unknown column is refused as a whole.',
].join(' ');

/** Contacts from files. */
export function contactImportRoutes({ imports }: ContactImportRoutesServices): Route[] {
  return [
    route({
      ...CONTACTS,
      scope: 'contacts:write',
      method: 'POST',
      path: '/v1/contacts/import',
      operationId: 'importContacts',
      summary: 'Import contacts from a CSV file',
      summaryAr: 'استيراد جهات الاتصال من ملف CSV',
      description: FORM,
      upload: { field: 'file', description: 'The CSV file', maxBytes: MAX_FILE_BYTES },
      body,
      auditFields: ['existing', 'group_id'],
      responses: { 202: { schema: importObject, description: 'The import, which takes some time' } },
      errors: ['CONTACT_LIMIT_EXCEEDED'],
      recover: async ({ requestId }, { caller }) => {
        const made = await imports.ofRequest(kindOf({ caller }), requestId);
        return made && { status: 202, body: presentImport(made) };
      },
      handler: async ({ caller, body: { existing, group_id }, file, requestId }) => {
        if (!file) throw invalidField('file');
        const owner = { ...kindOf({ caller }), organizationId: caller.organizationId };
        const wanted = { path: file.path, fileName: file.name, existing, groupId: group_id ?? null, requestId };
        return { status: 202, body: presentImport(await imports.start(owner, wanted)) };
      },
    }),
    route({
      ...reading,
      path: '/v1/contacts/import',
      operationId: 'listContactImports',
      summary: 'List imports of contacts',
      summaryAr: 'عرض عمليات استيراد جهات الاتصال',
      description: 'Newest first. Imports are listed for 30 days.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(importObject), description: 'One page of imports' } },
      errors: [],
      handler: async ({ caller, query: { cursor, limit }, cursors }) => {
        const rows = await imports.page(scopeOf({ caller }), cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentImport) };
      },
    }),
    route({
      ...reading,
      path: '/v1/contacts/import/:id',
      operationId: 'getContactImport',
      summary: 'Read how far an import is',
      summaryAr: 'قراءة حالة عملية استيراد',
      params,
      responses: { 200: { schema: importObject, description: 'The import' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: presentImport(await imports.get(scopeOf({ caller }), id)),
      }),
    }),
    route({
      ...reading,
      path: '/v1/contacts/import/:id/errors',
      operationId: 'listContactImportErrors',
      summary: 'List the errors of an import',
      summaryAr: 'عرض أخطاء عملية استيراد',
      description: 'By line, while the import runs, too. A line may have several errors. The values are not repeated.',
      params,
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(lineError), description: 'One page of errors' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id }, query: { cursor, limit }, cursors }) => {
        const rows = await imports.faults(scopeOf({ caller }), id, positionOf(cursors.read(cursor)), limit + 1);
        return {
          status: 200,
          body: cursorPage(rows, limit, cursors, ({ line, number }) => `${line} ${number}`, presentFault),
        };
      },
    }),
  ];
}

function positionOf(cursor: string | null): { readonly line: number; readonly number: number } {
  const [line = 0, number = 0] = (cursor ?? '').split(' ').map(Number);
  return { line, number };
}

function presentImport(row: ContactImportRow): z.output<typeof importObject> {
  const { id, status, problem, file_name, existing, group_id, sandbox } = row;
  const { total, created, updated, unchanged, skipped, failed } = row;
  const processed = created + updated + unchanged + skipped + failed;
  return {
    ...{ id, status, problem, file_name, existing, group_id, sandbox },
    lines: { total, processed, created, updated, unchanged, skipped, failed },
    created_at: isoTime(row.created_at),
    finished_at: isoTime(row.finished_at),
  };
}

function presentFault({ line, column_name, code, message, message_ar }: ImportFaultRow): z.output<typeof lineError> {
  return { line, column: column_name, code, message, message_ar };
}
