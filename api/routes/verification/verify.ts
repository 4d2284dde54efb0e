import { z } from 'zod';
import { VERIFICATION_STATES, VERIFY_CHANNELS, verificationObject } from '../../../core/model/objects/verification.js';
import { idOutput } from '../../../core/model/objects/fields.js';
import type { VerifyChannel } from '../../../core/data/rows.js';
import type { Verify, VerifyPlacer } from '../../../core/services/verify/verify.js';
import { LEG_REFUSALS } from '../../../core/services/dialling/refusals.js';
import { SANDBOX_REFUSALS } from '../../../core/services/sandbox/destinations.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { scopeOf } from '../../http/caller.js';
import { route, type Route, type RouteContext } from '../../http/route.js';
import { idInput, idParam, recipient } from '../../http/schema/schemas.js';

const TAG = 'Verify';
export interface VerifyRoutesServices {
  readonly verify: Verify;
}

const checkObject = z
  .strictObject({
    verification_id: idOutput,
    state: z.enum(VERIFICATION_STATES),
    verified: z.boolean().describe('Only for the right code, in time, and once'),
  })
  .meta({ id: 'VerificationCheck' });

const IS_ADDRESS = bilingual('must be email for an e-mail address', 'يجب أن تكون `email` لعنوان بريد إلكتروني');
const IS_NUMBER = bilingual('cannot be email for a telephone number', 'لا يمكن أن تكون `email` لرقم هاتف');

const REPEATED = bilingual('is named more than once', 'ذُكرت أكثر من مرة');
const SAME_RECIPIENT = bilingual(
  'cannot be given: this channel uses to of the verification',
  'لا يُقبل هنا: تستخدم هذه القناة `to` في عملية التحقق',
);
const NEEDS_ADDRESS = bilingual(
  'must be an e-mail address for email',
  'يجب أن يكون عنوان بريد إلكتروني للقناة `email`',
);
const NEEDS_NUMBER = bilingual('must be a telephone number for this channel', 'يجب أن يكون رقم هاتف لهذه القناة');

const startBody = z
  .strictObject({
    to: recipient().describe('A telephone number, or an e-mail address'),
    channel: z
      .enum(VERIFY_CHANNELS)
      .optional()
      .describe('By default the first that is configured: sms, chatapp, voice'),
    fallback: z
      .array(z.strictObject({ channel: z.enum(VERIFY_CHANNELS), to: recipient().optional() }))
      .max(3)
      .optional()
      .describe(
        'Channels over which the code is sent, one after another, if it does not arrive. `to` is needed only where `to` of the verification cannot ' +
          'be used: an e-mail address for `email`, a telephone number for the others',
      ),
    code_length: z.int().min(4).max(10).default(6),
    expires_in_seconds: z.int().min(60).max(3600).default(300),
    language: z.enum(['ar', 'en']).default('ar'),
    brand_id: idInput.optional().describe('An approved brand: named in the call or message'),
    end_user_ip: z
      .union([z.ipv4(), z.ipv6()])
      .optional()
      .describe('Address of the person who asked for the code: limited too'),
  })
  .superRefine(({ to, channel, fallback }, ctx) => {
    if (typeof to !== 'string') return;
    for (const { path, message } of fallbackFaults(to, channel, fallback ?? [])) {
      ctx.addIssue({ code: 'custom', path: ['fallback', ...path], message });
    }
    if (channel === undefined) return;
    const isAddress = to.includes('@');
    if (isAddress === (channel === 'email')) return;
    ctx.addIssue({ code: 'custom', path: ['channel'], message: isAddress ? IS_ADDRESS : IS_NUMBER });
  });

/** Every entry must reach the same person over another channel; one number must not be verified over another. */
function fallbackFaults(
  to: string,
  channel: VerifyChannel | undefined,
  fallback: readonly { readonly channel: VerifyChannel; readonly to?: string | undefined }[],
): { readonly path: readonly (string | number)[]; readonly message: string }[] {
  const taken = new Set(channel === undefined ? [] : [channel]);
  return fallback.flatMap((entry, index) => {
    const isRepeated = taken.has(entry.channel);
    taken.add(entry.channel);
    if (isRepeated) return [{ path: [index, 'channel'], message: REPEATED }];
    const isAddress = to.includes('@');
    const isMail = entry.channel === 'email';
    if (isAddress === isMail) return entry.to === undefined ? [] : [{ path: [index, 'to'], message: SAME_RECIPIENT }];
    if (entry.to === undefined) return [{ path: [index, 'to'], message: isMail ? NEEDS_ADDRESS : NEEDS_NUMBER }];
    return entry.to.includes('@') === isMail
      ? []
      : [{ path: [index, 'to'], message: isMail ? NEEDS_ADDRESS : NEEDS_NUMBER }];
  });
}

const checkBody = z.strictObject({
  verification_id: z.string().max(64).meta({ format: 'uuid' }),
  code: z
    .string()
    .max(64)
    .describe('As the person entered it; Arabic-Indic digits are understood')
    .meta({ examples: ['123456'] }),
});

const SENDS = [
  'VERIFY_BLOCKED',
  'VERIFY_RATE_LIMITED',
  'VERIFY_SEND_FAILED',
  ...LEG_REFUSALS,
  ...SANDBOX_REFUSALS,
] as const;

const params = z.strictObject({ verification_id: idParam('VERIFY_NOT_FOUND') });

function placerOf({ caller, requestId }: Pick<RouteContext<'any'>, 'caller' | 'requestId'>): VerifyPlacer {
  const { projectId, organizationId, project, id, sandbox } = caller;
  return { projectId, organizationId, mainNumber: project.main_number, keyId: id, requestId, sandbox };
}

export function verifyRoutes({ verify }: VerifyRoutesServices): Route[] {
  const writing = { method: 'POST', tag: TAG, scope: 'verify:write', keyKind: 'any', flag: 'verify' } as const;
  return [
    route({
      ...writing,
      path: '/v1/verify',
      operationId: 'startVerification',
      summary: 'Send a one-time code',
      summaryAr: 'إرسال رمز تحقق',
      description:
        'The voice channel calls from the project’s main number and says the code twice, digit by digit. A recipient gets at most five codes in ten ' +
        'minutes. Blocked prefixes, and number ranges whose codes are hardly ever entered, get none. With a sandbox key nothing ' +
        'is sent: the code is all zeros, and only the sandbox’s own numbers are accepted.',
      body: startBody,
      auditFields: ['channel', 'code_length', 'expires_in_seconds', 'language', 'brand_id'],
      responses: { 201: { schema: verificationObject, description: 'The code is on its way' } },
      errors: ['INVALID_PHONE_NUMBER', 'CHANNEL_NOT_CONFIGURED', 'VOICE_AUTH_BRAND_NOT_APPROVED', ...SENDS],
      simulates: ['rate_limit', 'server_error', 'invalid_number'],
      // A retry must not send another code.
      recover: async ({ requestId }, { caller }) => {
        const made = await verify.createdBy(caller.projectId, caller.id, requestId);
        return made && { status: 201, body: made };
      },
      handler: async (ctx) => {
        const { to, channel, fallback, code_length, expires_in_seconds, language, brand_id, end_user_ip } = ctx.body;
        const request = {
          to,
          channel: channel ?? null,
          fallback: (fallback ?? []).map((entry) => ({ channel: entry.channel, recipient: entry.to ?? to })),
          codeLength: code_length,
          expiresInSeconds: expires_in_seconds,
          language,
          brandId: brand_id ?? null,
          endUserIp: end_user_ip ?? null,
        };
        return { status: 201, body: await verify.start(request, placerOf(ctx)) };
      },
    }),
    route({
      ...writing,
      path: '/v1/verify/check',
      operationId: 'checkVerification',
      summary: 'Check a code',
      summaryAr: 'مطابقة رمز التحقق المُدخل',
      description:
        '`verified` is true once, for the correct code before it expires. The attempt that ends a verification (correct, fifth wrong, or late) ' +
        'returns its state. Later attempts return an error, or `verified: false` after a correct one. A code of the wrong length is refused and ' +
        'does not count as an attempt.',
      body: checkBody,
      auditFields: ['verification_id'],
      responses: { 200: { schema: checkObject, description: 'Whether the code was correct' } },
      errors: ['VERIFY_NOT_FOUND', 'VERIFY_INVALID_CODE', 'VERIFY_MAX_ATTEMPTS', 'VERIFY_EXPIRED', 'VERIFY_BLOCKED'],
      handler: async (ctx) => {
        const { verification_id, code } = ctx.body;
        return { status: 200, body: await verify.check(scopeOf(ctx), verification_id.toLowerCase(), code) };
      },
    }),
    route({
      ...writing,
      path: '/v1/verify/:verification_id/resend',
      operationId: 'resendVerification',
      summary: 'Resend a code',
      summaryAr: 'إرسال رمز تحقق آخر',
      description:
        'Possible 30 seconds after the first code, 60 after the second and 120 after each further one. Earlier codes stop working, the validity ' +
        'period restarts, and used attempts still count. A verified verification sends nothing.',
      params,
      responses: { 200: { schema: verificationObject, description: 'Another code is on its way' } },
      errors: ['VERIFY_NOT_FOUND', 'VERIFY_MAX_ATTEMPTS', 'VERIFY_EXPIRED', ...SENDS],
      handler: async (ctx) => ({
        status: 200,
        body: await verify.resend(scopeOf(ctx), ctx.params.verification_id, placerOf(ctx)),
      }),
    }),
    route({
      ...writing,
      method: 'GET',
      scope: 'verify:read',
      path: '/v1/verify/:verification_id',
      operationId: 'getVerification',
      summary: 'Read a verification',
      summaryAr: 'قراءة عملية تحقق',
      params,
      responses: { 200: { schema: verificationObject, description: 'The verification as it is now' } },
      errors: ['VERIFY_NOT_FOUND'],
      handler: async (ctx) => ({ status: 200, body: await verify.get(scopeOf(ctx), ctx.params.verification_id) }),
    }),
  ];
}
