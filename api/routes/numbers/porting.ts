import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { DOCUMENT_KINDS, PORTING_STATUSES } from '../../../core/model/number/porting.js';
import { MAX_DOCUMENT_BYTES } from '../../../core/services/numbers/documents.js';
import type { PortingRequests } from '../../../core/services/porting/requests.js';
import { cursorPage } from '../../http/paging.js';
import { kindOf } from '../../http/caller.js';
import { given } from '../../http/request/given.js';
import { route, type Route } from '../../http/route.js';
import { documentOf } from './document-file.js';
import { cursorList, cursorQuery, idParam, phoneNumber, timeInput } from '../../http/schema/schemas.js';
import { ownerOf } from './numbers.js';

const TAG = 'Porting';

export const documentObject = z
  .strictObject({
    id: idOutput,
    kind: z.enum(DOCUMENT_KINDS),
    name: z.string(),
    media_type: z.string(),
    bytes: z.int(),
    created_at: timeOutput,
  })
  .meta({ id: 'NumberDocument' });

export const portingObject = z
  .strictObject({
    id: idOutput,
    status: z.enum(PORTING_STATUSES),
    numbers: z.array(z.string()),
    carrier: z.string(),
    account_name: z.string(),
    account_number: z.string().nullable(),
    notes: z.string().nullable(),
    wanted_at: timeOutput.nullable(),
    scheduled_at: timeOutput.nullable().describe('When the previous carrier transfers the numbers'),
    reason: z.string().nullable().describe('Reason for the rejection or cancellation'),
    documents: z.array(documentObject),
    created_at: timeOutput,
    submitted_at: timeOutput.nullable(),
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'PortingRequest' });

const text = (longest: number) => z.string().trim().min(1).max(longest);

const details = {
  numbers: z.array(phoneNumber()).min(1).max(100),
  carrier: text(100).describe('Current carrier of the numbers'),
  account_name: text(200).describe('Account holder at the current carrier'),
  account_number: text(100).nullable(),
  notes: text(2000).nullable(),
  wanted_at: timeInput().nullable().describe('Preferred porting date'),
};

const createBody = z.strictObject({
  ...details,
  account_number: details.account_number.default(null),
  notes: details.notes.default(null),
  wanted_at: details.wanted_at.default(null),
});
const changeBody = z.strictObject(details).partial();

const params = z.strictObject({ id: idParam('PORTING_NOT_FOUND') });
const documentParams = z.strictObject({ id: idParam('PORTING_NOT_FOUND'), document_id: idParam('NOT_FOUND') });

export function portingRoutes({ porting }: { readonly porting: PortingRequests }): Route[] {
  const reading = { tag: TAG, scope: 'numbers:read', keyKind: 'any', method: 'GET' } as const;
  const writing = { tag: TAG, scope: 'numbers:write', keyKind: 'any', method: 'POST' } as const;
  const answer = { schema: portingObject, description: 'The request as it is now' };
  return [
    route({
      ...writing,
      path: '/v1/porting-requests',
      operationId: 'createPortingRequest',
      summary: 'Draft a porting request',
      summaryAr: 'إعداد طلب نقل أرقام',
      description:
        'A request to port numbers from another carrier. Add the documents, then submit it. ' +
        '`draft` → `submitted` → `in_review` → `scheduled` → `completed`; until then it can be `rejected` by the operator or `cancelled` by you.',
      body: createBody,
      auditFields: ['carrier'],
      responses: { 201: { schema: portingObject, description: 'The draft' } },
      errors: ['INVALID_PHONE_NUMBER'],
      handler: async ({ caller, body }) => ({ status: 201, body: await porting.create(body, ownerOf(caller)) }),
    }),
    route({
      ...reading,
      path: '/v1/porting-requests',
      operationId: 'listPortingRequests',
      summary: 'List porting requests',
      summaryAr: 'عرض طلبات نقل الأرقام',
      description: 'The porting requests of the project of the key’s kind, newest first.',
      query: z.strictObject({ ...cursorQuery, status: z.enum(PORTING_STATUSES).optional() }),
      responses: { 200: { schema: cursorList(portingObject), description: 'One page of requests' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const before = cursors.read(query.cursor);
        const status = query.status ?? null;
        const rows = await porting.list(kindOf({ caller }), status, before, query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id) };
      },
    }),
    route({
      ...reading,
      path: '/v1/porting-requests/:id',
      operationId: 'getPortingRequest',
      summary: 'Read a porting request',
      summaryAr: 'قراءة طلب نقل أرقام',
      params,
      responses: { 200: answer },
      errors: ['PORTING_NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({ status: 200, body: await porting.get(kindOf({ caller }), id) }),
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/porting-requests/:id',
      operationId: 'changePortingRequest',
      summary: 'Change a draft',
      summaryAr: 'تعديل مسودة طلب نقل',
      params,
      body: changeBody,
      auditFields: ['carrier'],
      responses: { 200: answer },
      errors: ['PORTING_NOT_FOUND', 'PORTING_INVALID_STATE', 'INVALID_PHONE_NUMBER'],
      handler: async ({ caller, params: { id }, body }) => {
        const changes = given(body);
        return { status: 200, body: await porting.change(kindOf({ caller }), id, changes) };
      },
    }),
    route({
      ...writing,
      path: '/v1/porting-requests/:id/documents',
      operationId: 'addPortingDocument',
      summary: 'Add a document',
      summaryAr: 'إضافة وثيقة',
      description:
        'A PDF, PNG or JPEG file of at most 10 MB; the type is detected from the content. Possible until the operator has decided.',
      params,
      upload: { field: 'file', description: 'The document', maxBytes: MAX_DOCUMENT_BYTES },
      body: z.strictObject({ kind: z.enum(DOCUMENT_KINDS).describe('`authorization`: signed by the owner') }),
      auditFields: ['kind'],
      responses: { 201: answer },
      errors: ['PORTING_NOT_FOUND', 'PORTING_INVALID_STATE'],
      handler: async ({ caller, params: { id }, body, file }) => {
        if (!file) throw invalidField('file');
        return {
          status: 201,
          body: await porting.addDocument(kindOf({ caller }), id, body.kind, await documentOf(file)),
        };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/porting-requests/:id/documents/:document_id',
      operationId: 'removePortingDocument',
      summary: 'Remove a document from a draft',
      summaryAr: 'حذف وثيقة من مسودة',
      params: documentParams,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['PORTING_NOT_FOUND', 'NOT_FOUND', 'PORTING_INVALID_STATE'],
      handler: async ({ caller, params: { id, document_id } }) => {
        await porting.removeDocument(kindOf({ caller }), id, document_id);
        return { status: 204 };
      },
    }),
    route({
      ...writing,
      path: '/v1/porting-requests/:id/submit',
      operationId: 'submitPortingRequest',
      summary: 'Submit a porting request',
      summaryAr: 'تقديم طلب نقل أرقام',
      description:
        'The request must have an `authorization` document. Its numbers are then reserved for you. In the sandbox, it is `completed` at once.',
      params,
      body: z.strictObject({}),
      responses: { 200: answer },
      errors: ['PORTING_NOT_FOUND', 'PORTING_INVALID_STATE', 'NUMBER_ALREADY_ASSIGNED', 'NUMBER_NOT_AVAILABLE'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: await porting.submit(kindOf({ caller }), id),
      }),
    }),
    route({
      ...writing,
      path: '/v1/porting-requests/:id/cancel',
      operationId: 'cancelPortingRequest',
      summary: 'Cancel a porting request',
      summaryAr: 'إلغاء طلب نقل أرقام',
      params,
      body: z.strictObject({}),
      responses: { 200: answer },
      errors: ['PORTING_NOT_FOUND', 'PORTING_INVALID_STATE'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: await porting.cancel(kindOf({ caller }), id),
      }),
    }),
  ];
}
