import { z } from 'zod';
import { IDENTITY_STATES } from '../../../core/model/accounts/national-id.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import type { IdentityVerifications } from '../../../core/services/accounts/identity/verifications.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idParam } from '../../http/schema/schemas.js';

const TAG = 'Accounts';

const verificationObject = z
  .strictObject({
    verification_id: idOutput,
    state: z.enum(IDENTITY_STATES),
    match_number: z.string().describe('The number to pick in the provider’s app'),
    last_four: z.string().describe('The last four digits of the national id'),
    reason: z.string().nullable().describe('The provider’s reason for a rejection'),
    created_at: timeOutput,
    expires_at: timeOutput,
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'NationalIdVerification' });

const notice = z
  .looseObject({
    type: z.literal('verification.updated'),
    data: z.looseObject({ id: idOutput, state: z.enum(IDENTITY_STATES) }),
  })
  .meta({ id: 'NationalIdNotice' });

const params = z.strictObject({ id: idParam('NOT_FOUND') });

/** Verification of the national identity of the signed-in person. */
export function nationalIdRoutes({ verifications }: { readonly verifications: IdentityVerifications }): Route[] {
  const shared = { tag: TAG, keyKind: 'user', permission: null } as const;
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/v1/national-id/verifications',
      operationId: 'createNationalIdVerification',
      summary: 'Verify your national identity',
      summaryAr: 'التحقق من هويتك الوطنية',
      description:
        'Starts a verification at the identity provider: your app of the provider asks for a number, and you pick `match_number` there. Then confirm the verification. Hatif keeps a keyed hash of the national id and its last four digits only. A new verification ends those that are still `pending`. At most 10 attempts in an hour.',
      body: z.strictObject({
        national_id: z.string().trim().max(64).describe('National id or residence number, 10 digits'),
      }),
      responses: { 201: { schema: verificationObject, description: 'The verification' } },
      errors: [
        'INVALID_NATIONAL_ID',
        'NATIONALID_ALREADY_VERIFIED',
        'NATIONALID_ALREADY_REGISTERED',
        'NATIONALID_INITIATE_FAILED',
      ],
      handler: async ({ user, body }) => ({ status: 201, body: await verifications.begin(body.national_id, user) }),
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/national-id/verifications',
      operationId: 'listNationalIdVerifications',
      summary: 'List your verifications of your national identity',
      summaryAr: 'عرض عمليات التحقق من هويتك الوطنية',
      description: 'Newest first.',
      query: z.strictObject(cursorQuery),
      responses: { 200: { schema: cursorList(verificationObject), description: 'One page' } },
      errors: [],
      handler: async ({ user, query: { cursor, limit }, cursors }) => {
        const rows = await verifications.list(user.id, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, (row) => row.verification_id) };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/national-id/verifications/:id',
      operationId: 'getNationalIdVerification',
      summary: 'Read a verification of your national identity',
      summaryAr: 'قراءة عملية تحقق من هويتك الوطنية',
      description: '`pending` → `verified`, `rejected` or `expired`.',
      params,
      responses: { 200: { schema: verificationObject, description: 'The verification as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user, params: { id } }) => ({ status: 200, body: await verifications.get(user.id, id) }),
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/v1/national-id/verifications/:id/confirm',
      operationId: 'confirmNationalIdVerification',
      summary: 'Confirm that your national identity is verified',
      summaryAr: 'تأكيد اكتمال التحقق من هويتك الوطنية',
      description: 'Succeeds once the verification is `verified`; otherwise the error names its state.',
      params,
      body: z.strictObject({}),
      idempotent: false,
      responses: { 200: { schema: verificationObject, description: 'The verified identity' } },
      errors: [
        'NOT_FOUND',
        'NATIONALID_NOT_VERIFIED',
        'NATIONALID_REJECTED',
        'NATIONALID_ALREADY_REGISTERED',
        'NATIONALID_EXPIRED',
      ],
      handler: async ({ user, params: { id } }) => ({ status: 200, body: await verifications.confirm(user.id, id) }),
    }),
    route({
      method: 'POST',
      path: '/v1/national-id/webhook',
      operationId: 'receiveNationalIdNotice',
      summary: 'Receive a notice of the identity provider',
      summaryAr: 'لمزوّد التحقق من الهوية: نتيجة عملية تحقق',
      description:
        'Not for clients. Signed according to Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) with the secret that the provider and the operator agreed on, and no older than five minutes. A repeated notice changes nothing, and neither does one about a verification that has ended.',
      tag: TAG,
      scope: null,
      keyKind: 'none',
      readsRaw: true,
      body: notice,
      responses: { 204: { schema: null, description: 'Received' } },
      errors: ['NATIONALID_INVALID_WEBHOOK', 'WEBHOOK_PAYLOAD_INVALID', 'NOT_FOUND'],
      handler: async ({ raw }) => {
        await verifications.handleNotice(raw?.headers ?? {}, raw?.body ?? Buffer.alloc(0));
        return { status: 204 };
      },
    }),
  ];
}
