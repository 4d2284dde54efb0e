import { z } from 'zod';
import { profileObject } from '../../../core/model/objects/profile.js';
import type { EmailChange } from '../../../core/services/accounts/email-change.js';
import type { PhoneChange } from '../../../core/services/accounts/phone-change.js';
import type { Profile } from '../../../core/services/accounts/profile.js';
import { LEG_REFUSALS } from '../../../core/services/dialling/refusals.js';
import { SANDBOX_REFUSALS } from '../../../core/services/sandbox/destinations.js';
import { route, type Route } from '../../http/route.js';

const TAG = 'Your account';

export interface ProfileRoutesServices {
  readonly profile: Profile;
  readonly emails: EmailChange;
  readonly phones: PhoneChange;
}

const changes = z.strictObject({
  name: z.string().optional().describe('1 to 100 characters'),
  locale: z
    .string()
    .optional()
    .describe('`ar` or `en`: the language that stands first in mails')
    .meta({ examples: ['ar'] }),
  email: z
    .string()
    .optional()
    .describe('Replaces the present address when the link in the mail to the new one is opened')
    .meta({ examples: ['huda@example.com'] }),
  phone: z
    .string()
    .nullable()
    .optional()
    .describe('Replaces the present number when the code that is sent to it is entered; null removes the number')
    .meta({ examples: ['+966501234567'] }),
});

const CODE_REFUSALS = ['VERIFY_BLOCKED', 'VERIFY_RATE_LIMITED', 'VERIFY_SEND_FAILED'] as const;

export function profileRoutes({ profile, emails, phones }: ProfileRoutesServices): Route[] {
  const ofUser = { tag: TAG, keyKind: 'user', permission: null, enrols: true } as const;
  return [
    route({
      ...ofUser,
      method: 'GET',
      path: '/v1/me',
      operationId: 'getProfile',
      summary: 'Read your profile',
      summaryAr: 'قراءة ملفك الشخصي',
      responses: { 200: { schema: profileObject, description: 'The signed-in user' } },
      errors: [],
      handler: async ({ user }) => ({ status: 200, body: await profile.get(user) }),
    }),
    route({
      ...ofUser,
      method: 'PATCH',
      path: '/v1/me',
      operationId: 'updateProfile',
      summary: 'Change your profile',
      summaryAr: 'تعديل ملفك الشخصي',
      description:
        'Absent members stay. A new e-mail address needs a confirmed session (`POST /v1/sessions/confirm`); the old address gets a mail when ' +
        'it is replaced. The code to a new telephone number is sent on behalf of your oldest project, which pays for it; in a sandbox ' +
        'organization nothing is sent, and the rules of the sandbox for verification apply.',
      body: changes,
      auditFields: ['locale'],
      responses: { 200: { schema: profileObject, description: 'The profile after the change' } },
      errors: [
        'PROFILE_VALIDATION_FAILED',
        'INVALID_IDENTITY',
        'NOT_FOUND',
        'CHANNEL_NOT_CONFIGURED',
        'IDENTITY_CONFLICT',
        ...CODE_REFUSALS,
        ...LEG_REFUSALS,
        ...SANDBOX_REFUSALS,
      ],
      handler: async ({ user, body, requestId, ip }) => {
        const { id, sessionId } = user;
        return { status: 200, body: await profile.change({ id, sessionId, requestId, ip }, body) };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/me/email/confirm',
      operationId: 'confirmEmail',
      summary: 'Confirm an e-mail address with a link',
      summaryAr: 'تأكيد عنوان البريد الإلكتروني عبر رابط',
      description:
        'Takes the `token` of the link in the mail, which shows that its reader has the address. No session is needed.',
      tag: TAG,
      scope: null,
      keyKind: 'none',
      body: z.strictObject({ token: z.string().max(200) }),
      responses: { 204: { schema: null, description: 'Confirmed' } },
      errors: ['IDENTITY_CONFLICT'],
      handler: async ({ body }) => {
        await emails.confirm(body.token);
        return { status: 204 };
      },
    }),
    route({
      ...ofUser,
      method: 'POST',
      path: '/v1/me/phone/confirm',
      operationId: 'confirmPhone',
      summary: 'Confirm your telephone number',
      summaryAr: 'تأكيد رقم هاتفك',
      body: z.strictObject({
        code: z
          .string()
          .max(64)
          .meta({ examples: ['123456'] }),
      }),
      responses: { 200: { schema: profileObject, description: 'The profile with the new number' } },
      errors: [
        'INVALID_IDENTITY',
        'NOT_FOUND',
        'VERIFY_NOT_FOUND',
        'VERIFY_INVALID_CODE',
        'VERIFY_MAX_ATTEMPTS',
        'VERIFY_EXPIRED',
        'VERIFY_BLOCKED',
      ],
      handler: async ({ user, body }) => {
        await phones.confirm(user.id, body.code);
        return { status: 200, body: await profile.get(user) };
      },
    }),
  ];
}
