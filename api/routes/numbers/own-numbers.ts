import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { OwnNumberClaimRow } from '../../../core/data/rows.js';
import { HatifError, invalidField } from '../../../core/model/errors/index.js';
import { asciiDigits } from '../../../core/model/phone-numbers.js';
import { isoTime } from '../../../core/model/time.js';
import { arabic, writtenCount } from '../../../core/model/wording/wording.js';
import { MAX_DOCUMENT_BYTES } from '../../../core/services/numbers/documents.js';
import { CODE_LENGTH, type ClaimOwnNumber } from '../../../core/services/own-numbers/claims.js';
import { SANDBOX_REFUSALS } from '../../../core/services/sandbox/destinations.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { cursorPage } from '../../http/paging.js';
import { LEG_REFUSALS } from '../../../core/services/dialling/refusals.js';
import { kindOf } from '../../http/caller.js';
import { route, type Route } from '../../http/route.js';
import { documentOf } from './document-file.js';
import { cursorList, cursorQuery, idParam, phoneNumber } from '../../http/schema/schemas.js';

const TAG = 'Numbers';

export const claimObject = z
  .strictObject({
    id: idOutput,
    e164: z.string(),
    method: z.enum(['call', 'letter']),
    status: z.enum(['pending', 'verified', 'rejected', 'failed', 'expired']),
    reason: z.string().nullable().describe('Why the operator rejected it'),
    number_id: idOutput.nullable().describe('ID of the number, once it is verified'),
    expires_at: timeOutput,
    created_at: timeOutput,
    decided_at: timeOutput.nullable(),
  })
  .meta({ id: 'OwnNumberClaim' });

const claimBody = z.strictObject({
  number: phoneNumber().optional().describe('Required; without it `OWN_DID_NUMBER_REQUIRED`'),
  method: z
    .enum(['call', 'letter'])
    .default('call')
    .describe(
      '`call`: the person who answers the number hears a code; `letter`: the operator reviews an uploaded letter',
    ),
  language: z.enum(['ar', 'en']).default('ar').describe('Language of the call'),
});

const codeInput = z
  .string()
  .max(20)
  .transform((text) => asciiDigits(text).replace(/\s/g, ''))
  .refine(
    (text) => new RegExp(`^\\d{${CODE_LENGTH}}$`).test(text),
    bilingual(`must be ${CODE_LENGTH} digits`, arabic`يجب أن يتكوّن من ${writtenCount(CODE_LENGTH, 'digit', 'ar')}`),
  );

const params = z.strictObject({ id: idParam('NOT_FOUND') });

export function ownNumberRoutes({ claims }: { readonly claims: ClaimOwnNumber }): Route[] {
  const reading = { tag: TAG, scope: 'numbers:read', keyKind: 'any', method: 'GET' } as const;
  const writing = { tag: TAG, scope: 'numbers:write', keyKind: 'any', method: 'POST' } as const;
  return [
    route({
      ...writing,
      path: '/v1/numbers/own-did',
      operationId: 'claimOwnNumber',
      summary: 'Bring your own number',
      summaryAr: 'استخدام رقمك الخاص',
      description:
        'Claims a number that another carrier delivers to you. `call` rings it immediately from the project’s main number and speaks a code ' +
        'that is valid for ten minutes and five attempts; a number receives at most three calls an hour. The call cannot be seen, controlled or recorded. Once verified, the number can be used as caller ID. In the sandbox, `call` takes the sandbox’s test numbers, the code is `000000`, and the number exists in the sandbox of the project only.',
      body: claimBody,
      auditFields: ['number', 'method'],
      responses: { 201: { schema: claimObject, description: 'The claim, to be verified' } },
      errors: [
        'OWN_DID_NUMBER_REQUIRED',
        'INVALID_PHONE_NUMBER',
        'NUMBER_ALREADY_ASSIGNED',
        'OWN_DID_NUMBER_UNAVAILABLE',
        ...LEG_REFUSALS,
        'CALL_FAILED',
        ...SANDBOX_REFUSALS,
      ],
      handler: async ({ caller, requestId, body: { number, method, language } }) => {
        if (number === undefined) throw new HatifError('OWN_DID_NUMBER_REQUIRED');
        const { projectId, organizationId, project, id: keyId } = caller;
        const placer = { projectId, organizationId, mainNumber: project.main_number, keyId, requestId };
        return {
          status: 201,
          body: presentClaim(await claims.claim({ e164: number, method, language, sandbox: caller.sandbox }, placer)),
        };
      },
    }),
    route({
      ...reading,
      path: '/v1/numbers/own-did',
      operationId: 'listOwnNumberClaims',
      summary: 'List claims to own numbers',
      summaryAr: 'عرض طلبات إثبات الأرقام الخاصة',
      description: 'The claims of the project of the key’s kind.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(claimObject), description: 'One page of claims, newest first' } },
      errors: [],
      handler: async ({ caller, query, cursors }) => {
        const before = cursors.read(query.cursor);
        const rows = await claims.list(kindOf({ caller }), before, query.limit + 1);
        return { status: 200, body: cursorPage(rows, query.limit, cursors, ({ id }) => id, presentClaim) };
      },
    }),
    route({
      ...reading,
      path: '/v1/numbers/own-did/:id',
      operationId: 'getOwnNumberClaim',
      summary: 'Read a claim to an own number',
      summaryAr: 'قراءة طلب إثبات رقم خاص',
      params,
      responses: { 200: { schema: claimObject, description: 'The claim' } },
      errors: ['NOT_FOUND'],
      handler: async ({ caller, params: { id } }) => ({
        status: 200,
        body: presentClaim(await claims.get(kindOf({ caller }), id)),
      }),
    }),
    route({
      ...writing,
      path: '/v1/numbers/own-did/:id/letter',
      operationId: 'addOwnNumberLetter',
      summary: 'Upload the letter of a claim',
      summaryAr: 'رفع خطاب إثبات الرقم',
      description:
        'A PDF, PNG or JPEG file of at most 10 MB; the type is detected from the content. The operator reviews the letter. In the sandbox it is approved at once.',
      params,
      upload: { field: 'file', description: 'The letter', maxBytes: MAX_DOCUMENT_BYTES },
      responses: { 201: { schema: claimObject, description: 'The claim' } },
      errors: ['NOT_FOUND', 'OWN_DID_NUMBER_NOT_AUTHORIZED', 'OWN_DID_NUMBER_UNAVAILABLE'],
      handler: async ({ caller, params: { id }, file }) => {
        if (!file) throw invalidField('file');
        return {
          status: 201,
          body: presentClaim(await claims.addLetter(kindOf({ caller }), id, await documentOf(file))),
        };
      },
    }),
    route({
      ...writing,
      path: '/v1/numbers/own-did/:id/verify',
      operationId: 'verifyOwnNumber',
      summary: 'Verify a claim to an own number',
      summaryAr: 'توثيق الرقم الخاص',
      description:
        'Send the code that the call spoke, or no code once the operator has approved the letter. The number is then yours and not bound to a destination.',
      params,
      body: z.strictObject({ code: codeInput.optional() }),
      responses: { 200: { schema: claimObject, description: 'Verified' } },
      errors: ['NOT_FOUND', 'OWN_DID_NUMBER_NOT_AUTHORIZED', 'OWN_DID_NUMBER_UNAVAILABLE'],
      handler: async ({ caller, params: { id }, body: { code } }) => ({
        status: 200,
        body: presentClaim(await claims.verify(kindOf({ caller }), id, code ?? null)),
      }),
    }),
  ];
}

export function presentClaim(row: OwnNumberClaimRow): z.output<typeof claimObject> {
  const { id, e164, method, status, reason, number_id, expires_at, created_at, decided_at } = row;
  return {
    ...{ id, e164, method, status, reason, number_id },
    expires_at: isoTime(expires_at),
    created_at: isoTime(created_at),
    decided_at: decided_at === null ? null : isoTime(decided_at),
  };
}
