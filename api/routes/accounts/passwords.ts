import { z } from 'zod';
import type { PasswordChange } from '../../../core/services/accounts/password-change.js';
import type { PasswordReset } from '../../../core/services/accounts/password-reset.js';
import { route, type Route } from '../../http/route.js';
import { assertPrivate } from './private.js';

const TAG = 'Your account';

export interface PasswordRoutesServices {
  readonly change: PasswordChange;
  readonly reset: PasswordReset;
}

/** Longer than any accepted password, so that the policy names the fault, and bounded. */
const password = z.string().max(1000);

export function passwordRoutes({ change, reset }: PasswordRoutesServices): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v1/me/password',
      operationId: 'changePassword',
      summary: 'Change your password',
      summaryAr: 'تغيير كلمة المرور',
      description:
        'A password has 10 to 128 characters, is not easy to guess, contains no name or address of yours alone, and is in no public list of ' +
        'leaked passwords. The change ends all your other sessions. Ten tries in 15 minutes.',
      tag: TAG,
      keyKind: 'user',
      permission: null,
      enrols: true,
      idempotent: false,
      body: z.strictObject({ current_password: password, password }),
      responses: { 204: { schema: null, description: 'Changed; other sessions have ended' } },
      errors: ['PASSWORD_VALIDATION_FAILED', 'INVALID_CURRENT_PASSWORD', 'PASSWORD_SSO_ONLY'],
      handler: async ({ user, body, isPrivate }) => {
        assertPrivate({ isPrivate });
        await change.change(user, body.current_password, body.password);
        return { status: 204 };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/password/forgot',
      operationId: 'forgotPassword',
      summary: 'Ask for a new password',
      summaryAr: 'طلب كلمة مرور جديدة',
      description:
        'Sends a link to this address, if a user has it. The answer is the same if nobody has. The link works once, for an hour. Three mails to ' +
        'an address in an hour; ten requests of a client in 15 minutes.',
      tag: TAG,
      scope: null,
      keyKind: 'none',
      body: z.strictObject({
        email: z
          .string()
          .min(1)
          .max(254)
          .meta({ examples: ['huda@example.com'] }),
      }),
      responses: { 202: { schema: z.strictObject({}), description: 'A link is sent if a user has this address' } },
      errors: [],
      handler: async ({ body, ip }) => {
        await reset.ask(body.email, ip);
        return { status: 202, body: {} };
      },
    }),
    route({
      method: 'POST',
      path: '/v1/password/reset',
      operationId: 'resetPassword',
      summary: 'Set a new password with a link',
      summaryAr: 'تعيين كلمة مرور جديدة عبر رابط',
      description:
        'Takes the `token` of the link in the mail. All sessions of the user end. A second factor stays: it is still asked for at sign-in. If the ' +
        'password is not accepted, the link works on.',
      tag: TAG,
      scope: null,
      keyKind: 'none',
      body: z.strictObject({ token: z.string().max(200), password }),
      responses: { 204: { schema: null, description: 'Set; sign in with it' } },
      errors: ['PASSWORD_VALIDATION_FAILED'],
      handler: async ({ body, isPrivate }) => {
        assertPrivate({ isPrivate });
        await reset.reset(body.token, body.password);
        return { status: 204 };
      },
    }),
  ];
}
