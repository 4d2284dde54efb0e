import { z } from 'zod';
import type { PrivacyJobRow } from '../../../core/data/rows.js';
import { SUBJECT_TYPES } from '../../../core/model/privacy/subject.js';
import type { PrivacyRequests } from '../../../core/services/privacy/requests.js';
import { LONGEST_EXTERNAL_ID } from '../../../core/services/privacy/subject.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { ARCHIVE_ERRORS, ARCHIVE_RESPONSES, archiveReply, partQuery, presentWork, workFields } from './work-fields.js';

const TAG = 'Privacy';

const type = z
  .enum(SUBJECT_TYPES)
  .describe(
    '`phone`: a telephone number; `email`: an address that is no member’s; `external_id`: your own identifier, the `external_user_id` of a virtual number, the custom field `external_id` of a contact, or a value in the `metadata` of calls; `user`: the ID of a member',
  );

const body = z.strictObject({
  subject: z.strictObject({
    type,
    value: z
      .string()
      .trim()
      .min(1)
      .max(LONGEST_EXTERNAL_ID)
      .meta({ examples: ['+966501234567'] }),
  }),
});

const subjectObject = z.strictObject({ type, masked: z.string() });
const { archive, ...withoutArchive } = workFields;
const exportObject = z
  .strictObject({ ...withoutArchive, subject: subjectObject, archive })
  .meta({ id: 'PrivacyExport' });
const erasureObject = z.strictObject({ ...withoutArchive, subject: subjectObject }).meta({ id: 'PrivacyErasure' });

const params = z.strictObject({ id: idParam('NOT_FOUND') });
const shared = { tag: TAG, keyKind: 'user', permission: 'privacy:write' } as const;
const CREATE_ERRORS = ['INVALID_PHONE_NUMBER', 'PRIVACY_REQUEST_LIMIT_EXCEEDED'] as const;
const REACH =
  'For owners and admins of all projects. Searches every project of the organization and its sandbox, but nothing that another organization holds. ';

/** What an organization holds of a person: exported, or erased. */
export function privacyRoutes({ requests }: { readonly requests: PrivacyRequests }): Route[] {
  return [...exportRoutes(requests), ...erasureRoutes(requests)];
}

function exportRoutes(requests: PrivacyRequests): Route[] {
  const list = { schema: cursorList(exportObject), description: 'One page of exports' };
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/v1/privacy/exports',
      operationId: 'createPrivacyExport',
      summary: 'Export what you hold of a person',
      summaryAr: 'تصدير ما لديك من بيانات شخص',
      description: `${REACH}The archive has JSON files and recordings. Read the export until it is \`completed\`, then download the archive before it expires.`,
      body,
      responses: { 202: { schema: exportObject, description: 'The export, which takes some time' } },
      errors: CREATE_ERRORS,
      handler: async ({ user, body: { subject }, requestId }) => ({
        status: 202,
        body: presentExport(await requests.create('export', user, subject, requestId)),
      }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/privacy/exports',
      operationId: 'listPrivacyExports',
      summary: 'List exports of personal data',
      summaryAr: 'عرض طلبات تصدير البيانات الشخصية',
      description: 'Newest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: list },
      errors: [],
      handler: async ({ user, query: { cursor, limit }, cursors }) => {
        const rows = await requests.list('export', user, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentExport) };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/privacy/exports/:id',
      operationId: 'getPrivacyExport',
      summary: 'Read an export of personal data',
      summaryAr: 'قراءة طلب تصدير بيانات شخصية',
      params,
      responses: { 200: { schema: exportObject, description: 'The export as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user, params: { id } }) => ({
        status: 200,
        body: presentExport(await requests.get('export', user, id)),
      }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/privacy/exports/:id/archive',
      operationId: 'downloadPrivacyExport',
      summary: 'Download the archive of an export',
      summaryAr: 'تنزيل ملف التصدير',
      description:
        'A `.tar.gz`; a large export has several files. Each download is in the audit log. A `Range` header with a single range and `HEAD` are supported.',
      isAudited: true,
      params,
      query: partQuery,
      responses: ARCHIVE_RESPONSES,
      errors: ARCHIVE_ERRORS,
      handler: async ({ user, params: { id }, query: { part } }) =>
        archiveReply(`export-${id}`, await requests.open(user, id, part)),
    }),
  ];
}

function erasureRoutes(requests: PrivacyRequests): Route[] {
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/v1/privacy/erasures',
      operationId: 'createPrivacyErasure',
      summary: 'Erase what you hold of a person',
      summaryAr: 'محو ما لديك من بيانات شخص',
      description: `${REACH}It cannot be taken back. Recordings, messages, transcripts, codes and what clients added to calls go at once; live calls are erased when they are over. The report says what must stay, why, and until when. Erasing a member removes the user; only an owner erases owners, and the last one stays (\`LAST_OWNER\`).`,
      body,
      responses: { 202: { schema: erasureObject, description: 'The erasure, which takes some time' } },
      errors: [...CREATE_ERRORS, 'LAST_OWNER'],
      handler: async ({ user, body: { subject }, requestId }) => ({
        status: 202,
        body: presentErasure(await requests.create('erasure', user, subject, requestId)),
      }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/privacy/erasures',
      operationId: 'listPrivacyErasures',
      summary: 'List erasures of personal data',
      summaryAr: 'عرض طلبات محو البيانات الشخصية',
      description: 'Newest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(erasureObject), description: 'One page of erasures' } },
      errors: [],
      handler: async ({ user, query: { cursor, limit }, cursors }) => {
        const rows = await requests.list('erasure', user, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentErasure) };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/privacy/erasures/:id',
      operationId: 'getPrivacyErasure',
      summary: 'Read an erasure of personal data',
      summaryAr: 'قراءة طلب محو بيانات شخصية',
      params,
      responses: { 200: { schema: erasureObject, description: 'The erasure as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user, params: { id } }) => ({
        status: 200,
        body: presentErasure(await requests.get('erasure', user, id)),
      }),
    }),
  ];
}

function presentExport(row: PrivacyJobRow): z.output<typeof exportObject> {
  return { ...presentWork(row), subject: { type: row.subject_type, masked: row.subject_masked } };
}

function presentErasure(row: PrivacyJobRow): z.output<typeof erasureObject> {
  const { archive: _, ...shown } = presentExport(row);
  return shown;
}
