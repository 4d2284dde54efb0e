import { z } from 'zod';
import { PRODUCTION_DOCUMENT_KINDS, PRODUCTION_REQUEST_STATUSES } from '../../../core/model/accounts/production.js';
import { invalidField } from '../../../core/model/errors/index.js';
import { writtenCount } from '../../../core/model/wording/wording.js';
import type { ProductionAccess } from '../../../core/services/accounts/production/requests.js';
import { MAX_DOCUMENT_BYTES } from '../../../core/services/numbers/documents.js';
import { cursorPage } from '../../http/paging.js';
import { given } from '../../http/request/given.js';
import { route, type Route } from '../../http/route.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { documentOf } from '../numbers/document-file.js';
import { productionRequestObject } from './production-request.js';

const TAG = 'Accounts';

const text = (longest: number) => z.string().trim().min(1).max(longest);
const digits = (length: number) =>
  z
    .string()
    .trim()
    .regex(
      new RegExp(`^\\d{${length}}$`),
      bilingual(`must have ${length} digits`, `يجب أن يتكون من ${writtenCount(length, 'digit', 'ar')}`),
    );

const details = {
  company: text(200).describe('Name of the company, as registered'),
  commercial_registration: digits(10).describe('Number of the commercial registration'),
  vat_number: digits(15).nullable().describe('Null if the company is not registered for value added tax'),
  use: text(2000).describe('What the calls are for'),
  expected_calls: z.int().min(1).max(1_000_000_000).describe('Expected number of calls in a month'),
};
const createBody = z.strictObject({ ...details, vat_number: details.vat_number.default(null) });
const changeBody = z.strictObject(details).partial();

const params = z.strictObject({ id: idParam('PRODUCTION_REQUEST_NOT_FOUND') });
const documentParams = z.strictObject({
  id: idParam('PRODUCTION_REQUEST_NOT_FOUND'),
  document_id: idParam('NOT_FOUND'),
});

/** An organization's requests to become a production account. */
export function productionRequestRoutes({ access }: { readonly access: ProductionAccess }): Route[] {
  const reading = { method: 'GET', tag: TAG, keyKind: 'user', permission: 'production:write' } as const;
  const writing = { method: 'POST', tag: TAG, keyKind: 'user', permission: 'production:write' } as const;
  const answer = { schema: productionRequestObject, description: 'The request as it is now' };
  const unknown = 'PRODUCTION_REQUEST_NOT_FOUND';
  const refused = 'PRODUCTION_REQUEST_INVALID_STATE';
  return [
    route({
      ...writing,
      path: '/v1/production-requests',
      operationId: 'createProductionRequest',
      summary: 'Draft a request for production access',
      summaryAr: 'إعداد طلب الوصول إلى بيئة الإنتاج',
      description:
        'A request of a sandbox organization to become a production account. Add documents, then submit it. `draft` → `submitted` → `in_review` → `approved`; until then an administrator can end it as `rejected`, and you as `withdrawn`. An organization has at most one request that has not ended. Your e-mail address must be confirmed.',
      body: createBody,
      auditFields: ['company', 'commercial_registration'],
      responses: { 201: { schema: productionRequestObject, description: 'The draft' } },
      errors: ['EMAIL_NOT_CONFIRMED', 'PRODUCTION_REQUEST_EXISTS', 'PRODUCTION_ACCESS_ALREADY_REQUESTED', refused],
      handler: async ({ user, body }) => ({ status: 201, body: await access.create(body, user) }),
    }),
    route({
      ...reading,
      path: '/v1/production-requests',
      operationId: 'listProductionRequests',
      summary: 'List requests for production access',
      summaryAr: 'عرض طلبات الوصول إلى بيئة الإنتاج',
      description: 'The requests of the organization, newest first.',
      query: z.strictObject({ ...cursorQuery, status: z.enum(PRODUCTION_REQUEST_STATUSES).optional() }),
      responses: { 200: { schema: cursorList(productionRequestObject), description: 'One page of requests' } },
      errors: [],
      handler: async ({ user, query: { cursor, limit, status = null }, cursors }) => {
        const rows = await access.list(user.organizationId, status, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id) };
      },
    }),
    route({
      ...reading,
      path: '/v1/production-requests/:id',
      operationId: 'getProductionRequest',
      summary: 'Read a request for production access',
      summaryAr: 'قراءة طلب الوصول إلى بيئة الإنتاج',
      params,
      responses: { 200: answer },
      errors: [unknown],
      handler: async ({ user, params: { id } }) => ({ status: 200, body: await access.get(user.organizationId, id) }),
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/production-requests/:id',
      operationId: 'changeProductionRequest',
      summary: 'Change a draft of a request for production access',
      summaryAr: 'تعديل مسودة طلب الوصول إلى بيئة الإنتاج',
      params,
      body: changeBody,
      auditFields: ['company', 'commercial_registration'],
      responses: { 200: answer },
      errors: [unknown, refused],
      handler: async ({ user, params: { id }, body }) => {
        const changes = given(body);
        return { status: 200, body: await access.change(user.organizationId, id, changes) };
      },
    }),
    route({
      ...writing,
      path: '/v1/production-requests/:id/documents',
      operationId: 'addProductionDocument',
      summary: 'Add a document to a request for production access',
      summaryAr: 'إضافة وثيقة إلى طلب الوصول إلى بيئة الإنتاج',
      description:
        'A PDF, PNG or JPEG file of at most 10 MB; the type is detected from the content. Possible until an administrator has decided.',
      params,
      upload: { field: 'file', description: 'The document', maxBytes: MAX_DOCUMENT_BYTES },
      body: z.strictObject({ kind: z.enum(PRODUCTION_DOCUMENT_KINDS) }),
      auditFields: ['kind'],
      responses: { 201: answer },
      errors: [unknown, refused],
      handler: async ({ user, params: { id }, body, file }) => {
        if (!file) throw invalidField('file');
        const document = await documentOf(file);
        return { status: 201, body: await access.addDocument(user.organizationId, id, body.kind, document) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/production-requests/:id/documents/:document_id',
      operationId: 'removeProductionDocument',
      summary: 'Remove a document from a draft of a request for production access',
      summaryAr: 'حذف وثيقة من مسودة طلب الوصول إلى بيئة الإنتاج',
      params: documentParams,
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: [unknown, 'NOT_FOUND', refused],
      handler: async ({ user, params: { id, document_id } }) => {
        await access.removeDocument(user.organizationId, id, document_id);
        return { status: 204 };
      },
    }),
    route({
      ...writing,
      path: '/v1/production-requests/:id/submit',
      operationId: 'submitProductionRequest',
      summary: 'Submit a request for production access',
      summaryAr: 'تقديم طلب الوصول إلى بيئة الإنتاج',
      description:
        'Sends the draft to the administrators. The national identity of an owner of the organization must be verified, unless the installation does not require it. Of two attempts at the same moment, one succeeds.',
      params,
      body: z.strictObject({}),
      responses: { 200: answer },
      errors: [unknown, 'PRODUCTION_ACCESS_ALREADY_REQUESTED', refused, 'EMAIL_NOT_CONFIRMED', 'NATIONALID_REQUIRED'],
      handler: async ({ user, params: { id } }) => ({ status: 200, body: await access.submit(user, id) }),
    }),
    route({
      ...writing,
      path: '/v1/production-requests/:id/withdraw',
      operationId: 'withdrawProductionRequest',
      summary: 'Withdraw a request for production access',
      summaryAr: 'سحب طلب الوصول إلى بيئة الإنتاج',
      description: 'Possible until an administrator has decided.',
      params,
      body: z.strictObject({}),
      responses: { 200: answer },
      errors: [unknown, refused],
      handler: async ({ user, params: { id } }) => ({
        status: 200,
        body: await access.withdraw(user.organizationId, id),
      }),
    }),
  ];
}
