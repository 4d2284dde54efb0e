import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { CALL_STATUSES, DISPOSITIONS } from '../../../core/model/call/call.js';
import type { CallRow } from '../../../core/data/rows.js';
import { asciiDigits } from '../../../core/model/phone-numbers.js';
import { maskNumber } from '../../../core/model/access/masking.js';
import { isoTime } from '../../../core/model/time.js';
import { arabic, writtenCount } from '../../../core/model/wording/wording.js';
import type { WidgetCallbacks } from '../../../core/services/widgets/callbacks.js';
import { CODE_LENGTH, type WidgetCodes } from '../../../core/services/widgets/codes.js';
import type { WidgetProofs } from '../../../core/services/widgets/proofs.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { route, type Route } from '../../http/route.js';
import { idInput, idParam, phoneNumber } from '../../http/schema/schemas.js';
import { widgetTheme } from './widgets.js';

export interface WidgetVisitServices {
  readonly callbacks: WidgetCallbacks;
  readonly proofs: WidgetProofs;
  readonly codes: WidgetCodes;
}

const TAG = 'Widget';

/** The public key, which the mount has looked at. */
const key = z.string().max(64).describe('The widget’s public key');
const query = z.strictObject({ key });

const settings = z
  .strictObject({
    language: z.enum(['ar', 'en']),
    otp: z.boolean(),
    captcha: z.boolean(),
    sandbox: z.boolean(),
    theme: widgetTheme,
  })
  .meta({ id: 'WidgetSettings' });

const hex = z.string().regex(/^[0-9a-f]{64}$/);
const proofFields = {
  algorithm: z.literal('SHA-256'),
  challenge: hex,
  salt: z.string().max(256),
  signature: hex,
};
const challenge = z
  .strictObject({ ...proofFields, maxnumber: z.int() })
  .meta({ id: 'WidgetChallenge', description: 'In the form of ALTCHA, whose clients can solve it too' });
const proof = z
  .strictObject({ ...proofFields, number: z.int().min(0).max(Number.MAX_SAFE_INTEGER) })
  .meta({ id: 'WidgetProof' });

const progress = {
  callback_id: idOutput,
  status: z.enum(CALL_STATUSES),
  to_masked: z.string().meta({ examples: ['+96650••••17'] }),
  created_at: timeOutput,
};
const requested = z
  .strictObject({
    ...progress,
    status_token: z.string().describe('With it whoever asked can follow the callback'),
    status_token_expires_at: timeOutput,
  })
  .meta({ id: 'WidgetCallbackRequested' });
const followed = z
  .strictObject({
    ...progress,
    disposition: z.enum(DISPOSITIONS).nullable(),
    ringing_at: timeOutput.nullable(),
    answered_at: timeOutput.nullable(),
    ended_at: timeOutput.nullable(),
  })
  .meta({ id: 'WidgetCallback' });

const DIGITS = bilingual(
  `must be ${CODE_LENGTH} digits`,
  arabic`يجب أن يتكوّن من ${writtenCount(CODE_LENGTH, 'digit', 'ar')}`,
);
const otp = z.strictObject({
  id: idInput.describe('The `otp_id` of the code'),
  code: z
    .string()
    .max(32)
    .transform((text) => asciiDigits(text.trim()))
    .refine((text) => new RegExp(`^\\d{${CODE_LENGTH}}$`).test(text), DIGITS),
});
const codeBody = z.strictObject({
  to: phoneNumber().describe('The visitor’s telephone'),
  language: z.enum(['ar', 'en']).optional().describe('In which the code is told; the widget’s own by default'),
  captcha: proof.optional().describe('Where the widget wants one: the solved challenge'),
});
const sentCode = z
  .strictObject({
    otp_id: idOutput,
    to_masked: z.string(),
    code_length: z.int(),
    expires_at: timeOutput,
    resend_after_seconds: z.int().describe('Until then nobody can ask for another'),
  })
  .meta({ id: 'WidgetCode' });

const requestBody = z.strictObject({
  to: phoneNumber().describe('The visitor’s telephone'),
  name: z.string().trim().min(1).max(100).optional().describe('Told to webhooks, as `name` in the metadata'),
  captcha: proof.optional().describe('Where the widget wants one and no code: the solved challenge'),
  otp: otp.optional().describe('Where the widget wants a code'),
});

/** What pages with a widget ask: their key is public, their origin is checked. */
export function widgetVisitRoutes({ callbacks, proofs, codes }: WidgetVisitServices): Route[] {
  const common = { tag: TAG, flag: 'widget', keyKind: 'widget', scope: null } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/widget/settings',
      operationId: 'getWidgetSettings',
      summary: 'How a widget is to be shown',
      summaryAr: 'كيف تُعرض أداة الاتصال',
      query,
      responses: { 200: { schema: settings, description: 'The settings' } },
      errors: [],
      handler: ({ widget: { row } }) => {
        const { language, otp, captcha, sandbox, theme } = row;
        return { status: 200, body: { language, otp, captcha, sandbox, theme } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/widget/challenge',
      operationId: 'getWidgetChallenge',
      summary: 'Work for the browser',
      summaryAr: 'مهمة تحقق ينفّذها المتصفح',
      description:
        'To find `number`, from 0 to `maxnumber`, so that SHA-256 of `salt` and the number is `challenge`. Counts once, for ten minutes.',
      query,
      responses: { 200: { schema: challenge, description: 'The challenge' } },
      errors: [],
      handler: async ({ widget }) => ({ status: 200, body: await proofs.challenge(widget.row) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/widget/otp',
      operationId: 'sendWidgetCode',
      summary: 'Have a code told to the telephone',
      summaryAr: 'إملاء رمز تحقق على الهاتف',
      description:
        'By a call, or as a message where the project can send messages. Good for this widget and this telephone, once, for five minutes and five ' +
        'entries. Asked for again, the same code is told with new digits; those before count no more. With a sandbox widget the digits are zeros.',
      query,
      body: codeBody,
      auditFields: ['to'],
      responses: { 202: { schema: sentCode, description: 'The code is on its way' } },
      errors: [
        'CAPTCHA_FAILED',
        'INVALID_PHONE_NUMBER',
        'OTP_RESEND_TOO_SOON',
        'OTP_SEND_FAILED',
        'SANDBOX_EXPIRED',
        'SANDBOX_DESTINATION_NOT_ALLOWED',
        'SANDBOX_SIMULATED_SERVER_ERROR',
        'SANDBOX_MINUTES_EXCEEDED',
      ],
      handler: async ({ widget, body: { to, language, captcha }, ip, requestId }) => {
        const wanted = { to, language: language ?? widget.row.language, captcha: captcha ?? null };
        const { code, waitSeconds } = await codes.send(widget, wanted, { ip, requestId });
        const answer = {
          otp_id: code.id,
          to_masked: maskNumber(to),
          code_length: code.length,
          expires_at: isoTime(code.expires_at),
          resend_after_seconds: waitSeconds,
        };
        return { status: 202, body: answer };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/widget/callbacks',
      operationId: 'requestWidgetCallback',
      summary: 'Ask to be called back',
      summaryAr: 'طلب معاودة الاتصال',
      description:
        'The telephone rings and is joined with the widget’s destination. A callback as any other: webhooks tell of it, with the widget’s name in ' +
        'the metadata. An address and a telephone can ask only a few times in ten minutes.',
      query,
      body: requestBody,
      auditFields: ['to'],
      responses: { 202: { schema: requested, description: 'The telephone is about to ring' } },
      errors: [
        'OTP_INVALID',
        'OTP_EXPIRED',
        'OTP_TOO_MANY_ATTEMPTS',
        'CAPTCHA_FAILED',
        'CLI_NOT_OWNED',
        'INVALID_PHONE_NUMBER',
        'CALL_VELOCITY_EXCEEDED',
        'CALL_FAILED',
        'SANDBOX_EXPIRED',
        'SANDBOX_DESTINATION_NOT_ALLOWED',
        'SANDBOX_SIMULATED_SERVER_ERROR',
        'SANDBOX_MINUTES_EXCEEDED',
        'SANDBOX_INVALID_QUEUE',
        'SANDBOX_QUEUE_UNAVAILABLE',
      ],
      handler: async ({ widget, body, ip, requestId }) => {
        const entered = body.otp ? { id: body.otp.id, digits: body.otp.code } : null;
        const wanted = { to: body.to, name: body.name ?? null, captcha: body.captcha ?? null, otp: entered };
        const { call, follow } = await callbacks.request(widget, wanted, { ip, requestId });
        const token = { status_token: follow.token, status_token_expires_at: isoTime(follow.expiresAt) };
        return { status: 202, body: { ...progressOf(call), ...token } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/widget/callbacks/:callback_id',
      operationId: 'followWidgetCallback',
      summary: 'Follow a callback',
      summaryAr: 'متابعة طلب معاودة اتصال',
      description:
        'With `after`, the status that you know, the answer comes when the callback has another one, or after 20 seconds. Whoever asks again at ' +
        'once is told of each change as it happens.',
      params: z.strictObject({ callback_id: idParam('CALLBACK_NOT_FOUND') }),
      query: z.strictObject({ key, token: z.string().max(128), after: z.enum(CALL_STATUSES).optional() }),
      responses: { 200: { schema: followed, description: 'The callback as it is now' } },
      errors: ['CALLBACK_NOT_FOUND'],
      handler: async ({ widget, params, query: { token, after }, signal }) => {
        const call = await callbacks.follow(widget, params.callback_id, token, after ?? null, signal);
        return { status: 200, body: { ...progressOf(call), ...endOf(call) } };
      },
    }),
  ];
}

function progressOf(call: CallRow): Pick<z.output<typeof followed>, keyof typeof progress> {
  return {
    callback_id: call.id,
    status: call.status,
    to_masked: maskNumber(call.customer_number),
    created_at: isoTime(call.created_at),
  };
}

function endOf(call: CallRow): Omit<z.output<typeof followed>, keyof typeof progress> {
  return {
    disposition: call.disposition,
    ringing_at: isoTime(call.ringing_at),
    answered_at: isoTime(call.answered_at),
    ended_at: isoTime(call.ended_at),
  };
}
