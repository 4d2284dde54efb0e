import { z } from 'zod';
import { PRODUCTION_REQUEST_STATUSES } from '../../../core/model/accounts/production.js';
import type { ProductionRequestObject } from '../../../core/services/accounts/production/requests.js';
import type { ProductionReview } from '../../../core/services/accounts/production/review.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { productionRequestObject } from '../accounts/production-request.js';
import { reading, writing } from './administrator.js';
import { documentReply, DOCUMENT_RESPONSES } from './document.js';

const PATH = '/v1/admin/production-requests';

const params = z.strictObject({ id: idParam('PRODUCTION_REQUEST_NOT_FOUND') });
const documentParams = z.strictObject({
  id: idParam('PRODUCTION_REQUEST_NOT_FOUND'),
  document_id: idParam('NOT_FOUND'),
});

/** The administrators' review of requests for production access. */
export function productionReviewRoutes({ review }: { readonly review: ProductionReview }): Route[] {
  const answer = { schema: productionRequestObject, description: 'The request as it is now' };
  const unknown = 'PRODUCTION_REQUEST_NOT_FOUND';
  const refused = 'PRODUCTION_REQUEST_INVALID_STATE';
  return [
    route({
      ...reading,
      path: PATH,
      operationId: 'listAdministeredProductionRequests',
      summary: 'List the requests for production access of all organizations',
      summaryAr: 'عرض طلبات الوصول إلى بيئة الإنتاج لكل المؤسسات',
      description: 'Newest first.',
      query: z.strictObject({ ...cursorQuery, status: z.enum(PRODUCTION_REQUEST_STATUSES).optional() }),
      responses: { 200: { schema: cursorList(productionRequestObject), description: 'One page of requests' } },
      errors: [],
      handler: async ({ query: { cursor, limit, status = null }, cursors }) => {
        const rows = await review.list(status, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id) };
      },
    }),
    route({
      ...reading,
      path: `${PATH}/:id`,
      operationId: 'getAdministeredProductionRequest',
      summary: 'Read an organization’s request for production access',
      summaryAr: 'قراءة طلب مؤسسة للوصول إلى بيئة الإنتاج',
      params,
      responses: { 200: answer },
      errors: [unknown],
      handler: async ({ params: { id } }) => ({ status: 200, body: await review.get(id) }),
    }),
    route({
      ...reading,
      path: `${PATH}/:id/documents/:document_id`,
      operationId: 'getAdministeredProductionDocument',
      summary: 'Download a document of a request for production access',
      summaryAr: 'تنزيل وثيقة من طلب الوصول إلى بيئة الإنتاج',
      params: documentParams,
      responses: DOCUMENT_RESPONSES,
      errors: [unknown, 'NOT_FOUND'],
      handler: async ({ params: { id, document_id } }) => documentReply(review, await review.document(id, document_id)),
    }),
    route({
      ...writing,
      path: `${PATH}/:id/review`,
      operationId: 'reviewProductionRequest',
      summary: 'Start the review of a request for production access',
      summaryAr: 'بدء مراجعة طلب الوصول إلى بيئة الإنتاج',
      description: 'From `submitted` to `in_review`.',
      params,
      body: z.strictObject({}),
      responses: { 200: answer },
      errors: [unknown, refused],
      handler: async ({ params: { id }, note }) => audited(note, await review.review(id)),
    }),
    route({
      ...writing,
      path: `${PATH}/:id/approve`,
      operationId: 'approveProductionRequest',
      summary: 'Approve a request for production access',
      summaryAr: 'الموافقة على طلب الوصول إلى بيئة الإنتاج',
      description:
        'From `in_review` to `approved`. The organization is a production account from then on, and its owners get a mail.',
      params,
      body: z.strictObject({}),
      responses: { 200: answer },
      errors: [unknown, refused],
      handler: async ({ params: { id }, note }) => audited(note, await review.approve(id)),
    }),
    route({
      ...writing,
      path: `${PATH}/:id/reject`,
      operationId: 'rejectProductionRequest',
      summary: 'Reject a request for production access',
      summaryAr: 'رفض طلب الوصول إلى بيئة الإنتاج',
      description:
        'From `submitted` or `in_review` to `rejected`. The owners get a mail with the reason, and can make a new request.',
      params,
      body: z.strictObject({ reason: z.string().trim().min(1).max(1000) }),
      auditFields: ['reason'],
      responses: { 200: answer },
      errors: [unknown, refused],
      handler: async ({ params: { id }, body, note }) => audited(note, await review.reject(id, body.reason)),
    }),
    route({
      ...writing,
      path: `${PATH}/:id/waive-identity`,
      operationId: 'waiveNationalIdentity',
      summary: 'Accept a request without a verified national identity',
      summaryAr: 'قبول طلب دون التحقق من الهوية الوطنية',
      description: 'The organization can then submit this draft although no owner has verified a national identity.',
      params,
      body: z.strictObject({}),
      responses: { 200: answer },
      errors: [unknown, refused],
      handler: async ({ params: { id }, note }) => audited(note, await review.waiveIdentity(id)),
    }),
  ];
}

/** The change is one of the organization's. */
function audited(note: RouteContext['note'], body: ProductionRequestObject) {
  note({ organizationId: body.organization_id, details: { status: body.status } });
  return { status: 200, body } as const;
}
