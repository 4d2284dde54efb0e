import { z } from 'zod';
import type { OwnNumberClaimRow } from '../../../core/data/rows.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import type { NumberAdministration } from '../../../core/services/number-administration/number-administration.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';
import { claimObject, presentClaim } from '../numbers/own-numbers.js';
import { reading, writing } from './administrator.js';
import {
  administeredDocument,
  documentReply,
  DOCUMENT_RESPONSES,
  named,
  presentAdministeredDocument,
} from './document.js';
import { noteOf, ownerFields, ownerIn } from './owned.js';

const claim = claimObject
  .extend({ ...ownerFields, code_id: idOutput.nullable().describe('The code that a call spoke; null for a letter') })
  .meta({ id: 'AdministeredOwnNumberClaim' });
const claimWithDocuments = claim.extend({ documents: z.array(administeredDocument) });
/** Of any form: the service says what it did not find. */
const claimId = z.string().meta({ format: 'uuid' });
const params = z.strictObject({ id: claimId });
const documentParams = z.strictObject({ id: claimId, document_id: idParam('NOT_FOUND') });
const ERRORS = ['NOT_FOUND', 'OWN_DID_NUMBER_NOT_AUTHORIZED'] as const;

export interface AdministeredNumbers {
  readonly administration: NumberAdministration;
}

/** The review of letters with which customers claim their own numbers. */
export function administeredOwnNumberRoutes({ administration }: AdministeredNumbers): Route[] {
  return [
    route({
      ...reading,
      path: '/v1/admin/own-numbers',
      operationId: 'listAdministeredOwnNumberClaims',
      summary: 'List the claims to own numbers of all organizations',
      summaryAr: 'عرض طلبات إثبات الأرقام الخاصة لجميع المؤسسات',
      description:
        'Newest first, without those of sandboxes. A `pending` claim whose method is `letter` waits for you.',
      query: z.strictObject({ ...cursorQuery, status: claimObject.shape.status.optional() }),
      responses: { 200: { schema: cursorList(claim), description: 'One page' } },
      errors: [],
      handler: async ({ query: { cursor, limit, status = null }, cursors }) => {
        const rows = await administration.claims(status, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/own-numbers/:id',
      operationId: 'getAdministeredOwnNumberClaim',
      summary: 'Read a claim to an own number with its letters',
      summaryAr: 'قراءة طلب إثبات رقم خاص مع خطاباته',
      params,
      responses: { 200: { schema: claimWithDocuments, description: 'The claim' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { id } }) => {
        const found = await administration.claim(id);
        const documents = found.documents.map(presentAdministeredDocument);
        return { status: 200, body: { ...present(found.claim), documents } };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/own-numbers/:id/documents/:document_id',
      operationId: 'getAdministeredOwnNumberDocument',
      summary: 'Read a letter that claims an own number',
      summaryAr: 'قراءة خطاب إثبات رقم خاص',
      params: documentParams,
      responses: DOCUMENT_RESPONSES,
      errors: ['NOT_FOUND'],
      handler: async ({ params: { id, document_id } }) => {
        const { documents } = await administration.claim(id);
        return documentReply(administration, named(documents, document_id));
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/own-numbers/:id/approve',
      operationId: 'approveOwnNumberClaim',
      summary: 'Approve a claim to an own number',
      summaryAr: 'قبول طلب إثبات رقم خاص',
      description: 'The number belongs to the project from now on.',
      params,
      responses: { 200: { schema: claim, description: 'The claim as it is now' } },
      errors: [...ERRORS, 'OWN_DID_NUMBER_UNAVAILABLE'],
      handler: async ({ params: { id }, note }) => {
        const row = await administration.approveClaim(id);
        note(noteOf(row, { number: row.e164, status: row.status }));
        return { status: 200, body: present(row) };
      },
    }),
    route({
      ...writing,
      path: '/v1/admin/own-numbers/:id/reject',
      operationId: 'rejectOwnNumberClaim',
      summary: 'Reject a claim to an own number',
      summaryAr: 'رفض طلب إثبات رقم خاص',
      params,
      body: z.strictObject({ reason: z.string().trim().min(1).max(500).describe('Shown to the organization') }),
      auditFields: ['reason'],
      responses: { 200: { schema: claim, description: 'The claim as it is now' } },
      errors: ERRORS,
      handler: async ({ params: { id }, body: { reason }, note }) => {
        const row = await administration.rejectClaim(id, reason);
        note(noteOf(row, { number: row.e164, status: row.status }));
        return { status: 200, body: present(row) };
      },
    }),
  ];
}

function present(row: OwnNumberClaimRow): z.output<typeof claim> {
  return { ...presentClaim(row), ...ownerIn(row), code_id: row.code_id };
}
