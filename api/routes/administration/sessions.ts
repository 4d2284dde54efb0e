import { z } from 'zod';
import type { Administrators } from '../../../core/services/administration/administrators.js';
import type { OwnPassword } from '../../../core/services/administration/own-password.js';
import type { AdministratorSessions } from '../../../core/services/administration/sessions.js';
import type { AdministratorTotp } from '../../../core/services/administration/totp.js';
import { assertPrivate } from '../accounts/private.js';
import { noteOfTry } from '../accounts/session-reply.js';
import { route, type Route } from '../../http/route.js';
import { ADMINISTRATION, reading, writing } from './administrator.js';
import { accessToken, administratorObject, presentAdministrator } from './setup.js';

export interface AdministratorSessionRoutesServices {
  readonly administrators: Administrators;
  readonly sessions: AdministratorSessions;
  readonly ownPassword: OwnPassword;
  readonly totp: AdministratorTotp;
}

const password = z.strictObject({ password: z.string().max(1000).describe('Again, although you are signed in') });

export function administratorSessionRoutes(services: AdministratorSessionRoutesServices): Route[] {
  const { administrators, sessions, ownPassword, totp } = services;
  const own = { enrols: true } as const;
  return [
    route({
      tag: ADMINISTRATION,
      scope: null,
      keyKind: 'none',
      method: 'POST',
      path: '/v1/admin/sessions',
      operationId: 'signInAdministrator',
      summary: 'Sign in as an administrator',
      summaryAr: 'تسجيل دخول مسؤول المنصة',
      description:
        'A session lasts eight hours, and ends after 30 minutes without a request. An unknown address, a wrong password and a wrong code are one error; if only the code is missing or wrong, `details` names `totp`. After ten tries of an address or for an account in 15 minutes, further ones are refused. From another machine, an administrator without a second factor can only set one up.',
      body: z.strictObject({
        email: z.string().max(254),
        password: z.string().max(1000),
        totp: z
          .string()
          .max(20)
          .optional()
          .describe('Code of the authenticator application, if the second factor is set'),
      }),
      responses: { 200: { schema: z.strictObject(accessToken), description: 'The session' } },
      errors: ['ADMIN_INVALID_CREDENTIALS'],
      handler: async ({ body: { totp: code, ...given }, ip, isPrivate, note }) => {
        assertPrivate({ isPrivate });
        note(noteOfTry(given.email));
        const { administrator, session } = await sessions.signIn(
          { ...given, ...(code === undefined ? {} : { totp: code }) },
          ip,
        );
        note({ administrator, details: { second_factor: administrator.totp_secret !== null } });
        const { accessToken: access_token, expiresInSeconds: expires_in } = session;
        return { status: 200, body: { access_token, expires_in } };
      },
    }),
    route({
      ...writing,
      ...own,
      path: '/v1/admin/sessions/logout',
      operationId: 'signOutAdministrator',
      summary: 'Sign out as an administrator',
      summaryAr: 'تسجيل خروج مسؤول المنصة',
      description: 'Ends the session of the request. A script token is revoked.',
      responses: { 204: { schema: null, description: 'The token no longer works' } },
      errors: [],
      handler: async ({ administrator }) => {
        await sessions.end(administrator.tokenId);
        return { status: 204 };
      },
    }),
    route({
      ...reading,
      ...own,
      path: '/v1/admin/me',
      operationId: 'getAdministrator',
      summary: 'Read the signed-in administrator',
      summaryAr: 'قراءة بيانات المسؤول الحالي',
      responses: {
        200: {
          schema: administratorObject.extend({
            second_factor_required: z.boolean().describe('Whether a second factor must be set up before anything else'),
          }),
          description: 'The administrator',
        },
      },
      errors: [],
      handler: async ({ administrator: { id, needsSecondFactor } }) => {
        const view = presentAdministrator(await administrators.get(id));
        return { status: 200, body: { ...view, second_factor_required: needsSecondFactor } };
      },
    }),
    route({
      ...writing,
      ...own,
      path: '/v1/admin/me/password',
      operationId: 'changeAdministratorPassword',
      summary: 'Change your password as an administrator',
      summaryAr: 'تغيير كلمة مرور المسؤول',
      description: 'Ends all your other sessions. Tokens for scripts stay.',
      body: z.strictObject({ current_password: z.string().max(1000), password: z.string().max(1000) }),
      responses: { 204: { schema: null, description: 'The new password is in force' } },
      errors: ['ADMIN_INVALID_CREDENTIALS', 'PASSWORD_VALIDATION_FAILED'],
      handler: async ({ administrator, body: { current_password: current, password: next }, isPrivate }) => {
        assertPrivate({ isPrivate });
        await ownPassword.change(administrator, current, next);
        return { status: 204 };
      },
    }),
    route({
      ...writing,
      ...own,
      path: '/v1/admin/me/totp',
      operationId: 'offerAdministratorTotp',
      summary: 'Begin to set up the second factor',
      summaryAr: 'بدء إعداد التحقق بخطوتين',
      description:
        'Makes a secret for an authenticator application. It counts once a code of it is confirmed; until then, a second factor that is set stays in force.',
      body: password,
      responses: {
        200: {
          schema: z.strictObject({
            secret: z.string().describe('Base 32; to be typed into the application'),
            uri: z.string().describe('`otpauth://`, for a QR code'),
          }),
          description: 'The secret, shown once',
        },
      },
      errors: ['ADMIN_INVALID_CREDENTIALS'],
      handler: async ({ administrator, body, isPrivate }) => {
        assertPrivate({ isPrivate });
        const { secret, uri } = await totp.offer(administrator.id, body.password);
        return { status: 200, body: { secret, uri } };
      },
    }),
    route({
      ...writing,
      ...own,
      path: '/v1/admin/me/totp/confirm',
      operationId: 'confirmAdministratorTotp',
      summary: 'Finish setting up the second factor',
      summaryAr: 'إكمال إعداد التحقق بخطوتين',
      body: z.strictObject({ code: z.string().max(20).describe('The present code of the authenticator application') }),
      responses: { 200: { schema: administratorObject, description: 'The administrator' } },
      errors: [],
      handler: async ({ administrator: { id }, body: { code } }) => {
        await totp.confirm(id, code);
        return { status: 200, body: presentAdministrator(await administrators.get(id)) };
      },
    }),
    route({
      ...writing,
      ...own,
      method: 'DELETE',
      path: '/v1/admin/me/totp',
      operationId: 'removeAdministratorTotp',
      summary: 'Remove the second factor',
      summaryAr: 'إزالة التحقق بخطوتين',
      body: password,
      responses: { 204: { schema: null, description: 'The password alone is enough again on the machine itself' } },
      errors: ['ADMIN_INVALID_CREDENTIALS'],
      handler: async ({ administrator, body, isPrivate }) => {
        assertPrivate({ isPrivate });
        await totp.remove(administrator.id, body.password);
        return { status: 204 };
      },
    }),
  ];
}
