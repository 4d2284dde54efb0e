import { z } from 'zod';
import type { PortingRequestRow } from '../../../core/data/rows.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { PORTING_STATUSES } from '../../../core/model/number/porting.js';
import { isoTime } from '../../../core/model/time.js';
import type { PortingCase } from '../../../core/services/number-administration/number-administration.js';
import { presentPorting } from '../../../core/services/porting/requests.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { cursorList, cursorQuery, idParam, timeInput } from '../../http/schema/schemas.js';
import { portingObject } from '../numbers/porting.js';
import { reading, writing } from './administrator.js';
import {
  administeredDocument,
  documentReply,
  DOCUMENT_RESPONSES,
  named,
  presentAdministeredDocument,
} from './document.js';
import type { AdministeredNumbers } from './own-numbers.js';
import { noteOf, ownerFields, ownerIn } from './owned.js';

const request = portingObject
  .extend({ ...ownerFields, documents: z.array(administeredDocument) })
  .meta({ id: 'AdministeredPortingRequest' });
const listed = request.omit({ documents: true }).meta({ id: 'ListedPortingRequest' });
const requestWithHistory = request.extend({
  history: z.array(
    z.strictObject({
      id: idOutput,
      from_status: z.enum(PORTING_STATUSES),
      to_status: z.enum(PORTING_STATUSES),
      made_by: z.enum(['customer', 'operator']),
      reason: z.string().nullable(),
      at: timeOutput,
    }),
  ),
});
const params = z.strictObject({ id: idParam('PORTING_NOT_FOUND') });
const documentParams = z.strictObject({ id: idParam('PORTING_NOT_FOUND'), document_id: idParam('NOT_FOUND') });

type Step<Body> = (id: string, body: Body) => Promise<PortingRequestRow>;

/** The operator's steps of porting requests. */
export function administeredPortingRoutes({ administration }: AdministeredNumbers): Route[] {
  const step =
    <Body>(take: Step<Body>) =>
    async ({
      params: { id },
      body,
      note,
    }: Pick<RouteContext<'administrator', { id: string }, unknown, Body>, 'params' | 'body' | 'note'>) => {
      const row = await take(id, body);
      note(noteOf(row, { status: row.status }));
      return { status: 200 as const, body: present(await administration.porting(id)) };
    };
  const common = {
    ...writing,
    params,
    responses: { 200: { schema: requestWithHistory, description: 'The request as it is now' } },
    errors: ['PORTING_NOT_FOUND', 'PORTING_INVALID_STATE'],
  } as const;
  return [
    route({
      ...reading,
      path: '/v1/admin/porting-requests',
      operationId: 'listAdministeredPortingRequests',
      summary: 'List the porting requests of all organizations',
      summaryAr: 'عرض طلبات نقل الأرقام لجميع المؤسسات',
      description: 'Newest first, without those of sandboxes.',
      query: z.strictObject({ ...cursorQuery, status: z.enum(PORTING_STATUSES).optional() }),
      responses: { 200: { schema: cursorList(listed), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit, status = null }, cursors }) => {
        const rows = await administration.portings(status, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, presentListed) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/porting-requests/:id',
      operationId: 'getAdministeredPortingRequest',
      summary: 'Read a porting request with its documents and history',
      summaryAr: 'قراءة طلب نقل أرقام مع وثائقه وسجله',
      params,
      responses: { 200: { schema: requestWithHistory, description: 'The request' } },
      errors: ['PORTING_NOT_FOUND'],
      handler: async ({ params: { id } }) => ({ status: 200, body: present(await administration.porting(id)) }),
    }),
    route({
      ...reading,
      path: '/v1/admin/porting-requests/:id/documents/:document_id',
      operationId: 'getAdministeredPortingDocument',
      summary: 'Read a document of a porting request',
      summaryAr: 'قراءة وثيقة من وثائق طلب نقل أرقام',
      params: documentParams,
      responses: DOCUMENT_RESPONSES,
      errors: ['PORTING_NOT_FOUND', 'NOT_FOUND'],
      handler: async ({ params: { id, document_id } }) => {
        const { documents } = await administration.porting(id);
        return documentReply(administration, named(documents, document_id));
      },
    }),
    route({
      ...common,
      path: '/v1/admin/porting-requests/:id/review',
      operationId: 'reviewPortingRequest',
      summary: 'Start the review of a porting request',
      summaryAr: 'بدء مراجعة طلب نقل أرقام',
      handler: step((id) => administration.review(id)),
    }),
    route({
      ...common,
      path: '/v1/admin/porting-requests/:id/schedule',
      operationId: 'schedulePortingRequest',
      summary: 'Schedule a porting request',
      summaryAr: 'تحديد موعد طلب نقل أرقام',
      body: z.strictObject({ at: timeInput().describe('When the other carrier hands the numbers over') }),
      auditFields: ['at'],
      handler: step((id, { at }: { readonly at: Date }) => administration.schedule(id, at)),
    }),
    route({
      ...common,
      path: '/v1/admin/porting-requests/:id/complete',
      operationId: 'completePortingRequest',
      summary: 'Complete a porting request',
      summaryAr: 'إكمال طلب نقل أرقام',
      description: 'The numbers arrived, and belong to the project from now on.',
      handler: step((id) => administration.complete(id)),
    }),
    route({
      ...common,
      path: '/v1/admin/porting-requests/:id/reject',
      operationId: 'rejectPortingRequest',
      summary: 'Reject a porting request',
      summaryAr: 'رفض طلب نقل أرقام',
      body: z.strictObject({ reason: z.string().trim().min(1).max(500).describe('Shown to the organization') }),
      auditFields: ['reason'],
      handler: step((id, { reason }: { readonly reason: string }) => administration.reject(id, reason)),
    }),
  ];
}

function presentListed(row: PortingRequestRow): z.output<typeof listed> {
  const { documents: _, ...shown } = presentPorting(row, []);
  return { ...shown, numbers: [...shown.numbers], ...ownerIn(row) };
}

function present({ request: row, documents, history }: PortingCase): z.input<typeof requestWithHistory> {
  const shown = presentPorting(row, []);
  return {
    ...shown,
    ...{ numbers: [...shown.numbers], documents: documents.map(presentAdministeredDocument) },
    ...ownerIn(row),
    history: history.map(({ id, from_status, to_status, made_by, reason, at }) => ({
      ...{ id, from_status, to_status, made_by, reason },
      at: isoTime(at),
    })),
  };
}
