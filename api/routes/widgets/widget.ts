import { z } from 'zod';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { CALL_STATUSES, DISPOSITIONS } from '../../../core/model/call/call.js';
import type { CallRow } from '../../../core/data/rows.js';
import { asciiDigits } from '../../../core/model/phone-numbers.js';
import { maskNumber } from '../../../core/model/access/masking.js';
import { isoTime } from '../../../core/model/time.js';
import { arabic, writtenCount } from '../../../core/model/wording/wording.js';
import type { WidgetBrowserCalls } from '../../../core/services/widgets/browser-calls.js';
import type { WidgetCallbacks } from '../../../core/services/widgets/callbacks.js';
import type { VisitorChats } from '../../../core/services/messaging/webchat/visitor-chats.js';
import { CODE_LENGTH, type WidgetCodes } from '../../../core/services/widgets/codes.js';
import type { ProofsOfWork } from '../../../core/services/access/proofs-of-work.js';
import { SANDBOX_REFUSALS } from '../../../core/services/sandbox/destinations.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { route, type Route } from '../../http/route.js';
import { CHALLENGE_FORMAT, challengeFields, proofFields } from '../../http/schema/proof-of-work.js';
import { idInput, idParam, phoneNumber } from '../../http/schema/schemas.js';
import { widgetTheme } from './widgets.js';

export interface WidgetVisitServices {
  readonly callbacks: WidgetCallbacks;
  readonly proofs: ProofsOfWork;
  readonly codes: WidgetCodes;
  readonly browserCalls: WidgetBrowserCalls;
  readonly visitorChats: Pick<VisitorChats, 'isOffered'>;
}

const TAG = 'Widget';

/** The public key, already checked when the request was mounted. */
const key = z.string().max(64).describe('The widget’s public key');
const query = z.strictObject({ key });

const settings = z
  .strictObject({
    language: z.enum(['ar', 'en']),
    otp: z.boolean(),
    captcha: z.boolean(),
    browser_calls: z.boolean().describe('Whether the visitor may call from the browser'),
    chat: z.boolean().describe('Whether the visitor may write'),
    sandbox: z.boolean(),
    theme: widgetTheme,
  })
  .meta({ id: 'WidgetSettings' });

const challenge = z.strictObject(challengeFields).meta({ id: 'WidgetChallenge', description: CHALLENGE_FORMAT });
const proof = z.strictObject(proofFields).meta({ id: 'WidgetProof' });

const progress = {
  callback_id: idOutput,
  status: z.enum(CALL_STATUSES),
  to_masked: z.string().meta({ examples: ['+96650••••17'] }),
  created_at: timeOutput,
};
const requested = z
  .strictObject({
    ...progress,
    status_token: z.string().describe('Token with which the visitor’s page follows the callback'),
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
  to: phoneNumber().describe('The visitor’s phone number'),
  language: z
    .enum(['ar', 'en'])
    .optional()
    .describe('Language of the call or message; defaults to the widget’s language'),
  captcha: proof.optional().describe('The solved challenge, if the widget requires one'),
});
const sentCode = z
  .strictObject({
    otp_id: idOutput,
    to_masked: z.string(),
    code_length: z.int(),
    expires_at: timeOutput,
    resend_after_seconds: z.int().describe('Seconds until another code can be requested'),
  })
  .meta({ id: 'WidgetCode' });

const chatToken = z
  .string()
  .max(256)
  .optional()
  .describe(
    'The token of the chat from which the visitor calls: the call goes to the agent who has the chat, and has `thread_id` in its metadata',
  );

const requestBody = z.strictObject({
  to: phoneNumber().describe('The visitor’s phone number'),
  name: z.string().trim().min(1).max(100).optional().describe('Sent to webhooks as `name` in the metadata'),
  captcha: proof.optional().describe('The solved challenge, if the widget requires one and no code'),
  otp: otp.optional().describe('The code, if the widget requires one'),
  chat: chatToken,
});

/** Routes for pages with a widget: their key is public and their origin is checked. */
export function widgetVisitRoutes({
  callbacks,
  proofs,
  codes,
  browserCalls,
  visitorChats,
}: WidgetVisitServices): Route[] {
  const common = { tag: TAG, flag: 'widget', keyKind: 'widget', scope: null } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/widget/settings',
      operationId: 'getWidgetSettings',
      summary: 'Get a widget’s appearance',
      summaryAr: 'كيف تُعرض أداة الاتصال',
      query,
      responses: { 200: { schema: settings, description: 'The settings' } },
      errors: [],
      handler: ({ widget }) => {
        const { language, otp, captcha, sandbox, theme } = widget.row;
        const browser_calls = browserCalls.isOffered(widget);
        const chat = visitorChats.isOffered(widget);
        return { status: 200, body: { language, otp, captcha, browser_calls, chat, sandbox, theme } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/widget/challenge',
      operationId: 'getWidgetChallenge',
      summary: 'Get a proof-of-work challenge',
      summaryAr: 'مهمة تحقق ينفّذها المتصفح',
      description:
        'Find `number`, from 0 to `maxnumber`, such that the SHA-256 of `salt` followed by the number is `challenge`. A solution is valid once, for ten minutes.',
      query,
      responses: { 200: { schema: challenge, description: 'The challenge' } },
      errors: [],
      handler: async ({ widget }) => ({ status: 200, body: await proofs.challenge(widget.row.id) }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/widget/otp',
      operationId: 'sendWidgetCode',
      summary: 'Send a code to a phone',
      summaryAr: 'إملاء رمز تحقق على الهاتف',
      description:
        'Sends the code by call, or by message if the project can send messages. The code is valid for this widget and this phone number, once, for five minutes and five ' +
        'attempts. A repeated request sends new digits and invalidates the earlier ones. With a sandbox widget the digits are zeros.',
      query,
      body: codeBody,
      auditFields: ['to'],
      responses: { 202: { schema: sentCode, description: 'The code is on its way' } },
      errors: [
        'CAPTCHA_FAILED',
        'INVALID_PHONE_NUMBER',
        'OTP_RESEND_TOO_SOON',
        'OTP_SEND_FAILED',
        'CALL_FAILED',
        ...SANDBOX_REFUSALS,
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
      summary: 'Request a callback',
      summaryAr: 'طلب معاودة الاتصال',
      description:
        'Rings the phone and connects it to the widget’s destination. Webhooks report it like any other callback, with the widget’s name in ' +
        'the metadata. Requests are limited per IP address and per phone number over ten minutes, and to the countries of the widget. While the ' +
        'owner’s own limits are reached, the answer is `CALL_FAILED`, without the reason.',
      query,
      body: requestBody,
      auditFields: ['to'],
      responses: { 202: { schema: requested, description: 'The phone is about to ring' } },
      errors: [
        'NOT_FOUND',
        'OTP_INVALID',
        'OTP_EXPIRED',
        'OTP_TOO_MANY_ATTEMPTS',
        'CAPTCHA_FAILED',
        'INVALID_PHONE_NUMBER',
        'CALL_FAILED',
        ...SANDBOX_REFUSALS,
        'SANDBOX_INVALID_QUEUE',
        'SANDBOX_QUEUE_UNAVAILABLE',
      ],
      handler: async ({ widget, body, ip, requestId }) => {
        const entered = body.otp ? { id: body.otp.id, digits: body.otp.code } : null;
        const wanted = {
          to: body.to,
          name: body.name ?? null,
          captcha: body.captcha ?? null,
          otp: entered,
          chat: body.chat ?? null,
        };
        const { call, follow } = await callbacks.request(widget, wanted, { ip, requestId });
        const token = { status_token: follow.token, status_token_expires_at: isoTime(follow.expiresAt) };
        return { status: 202, body: { ...progressOf(call), ...token } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/widget/calls',
      operationId: 'beginWidgetCall',
      summary: 'Call from the browser',
      summaryAr: 'الاتصال من المتصفح',
      description:
        'Creates a web calling session of ten minutes, which can call the widget’s destination and nothing else. The page exchanges the token at `POST /v1/web-calling/connect` and ' +
        'dials `dial`. Requests are limited per IP address, and to the hourly limits of the widget and the project. While they are reached, the answer is `CALL_FAILED`, without the reason.',
      query,
      body: z.strictObject({
        captcha: proof.optional().describe('The solved challenge, if the widget requires one'),
        chat: chatToken,
      }),
      secretFields: ['token'],
      responses: {
        201: {
          schema: z
            .strictObject({ token: z.string(), dial: z.string().meta({ examples: ['queue.sales'] }) })
            .meta({ id: 'WidgetCall' }),
          description: 'The token of the session',
        },
      },
      errors: ['NOT_FOUND', 'CAPTCHA_FAILED', 'WEB_CALLING_DISABLED', 'CALL_FAILED'],
      handler: async ({ widget, body: { captcha = null, chat = null }, ip, requestId }) => {
        const { token, dial } = await browserCalls.begin(widget, { captcha, chat }, { ip, requestId });
        return { status: 201, body: { token, dial } };
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
        'Long poll: with `after` set to the last known status, the answer is sent when the status changes, or after 20 seconds. A client that repeats the request ' +
        'immediately receives each change as it happens.',
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
