import { z } from 'zod';
import type { TotpSetup } from '../../../core/services/accounts/totp-setup.js';
import { route, type Route } from '../../http/route.js';

const TAG = 'Your account';

export interface SecondFactorRoutesServices {
  readonly totp: TotpSetup;
}

const codes = z.array(z.string()).meta({ examples: [['9k3m-c7q2-x0fw']] });

export function secondFactorRoutes({ totp }: SecondFactorRoutesServices): Route[] {
  const ofUser = { tag: TAG, keyKind: 'user', permission: null, enrols: true } as const;
  return [
    route({
      ...ofUser,
      method: 'POST',
      path: '/v1/me/totp',
      operationId: 'beginTotp',
      summary: 'Begin to set up an authenticator app',
      summaryAr: 'بدء إعداد تطبيق المصادقة',
      description:
        'Show `uri` as a QR code, or `secret` to type. It counts once `POST /v1/me/totp/confirm` gets a code of the app, within 15 minutes; until ' +
        'then an earlier app stays. Needs a confirmed session.',
      responses: {
        201: {
          schema: z.strictObject({ secret: z.string().nullable(), uri: z.string().nullable() }),
          description: 'The new secret, which is shown this once',
        },
      },
      secretFields: ['secret', 'uri'],
      errors: [],
      handler: async ({ user }) => ({ status: 201, body: await totp.begin(user) }),
    }),
    route({
      ...ofUser,
      method: 'POST',
      path: '/v1/me/totp/confirm',
      operationId: 'confirmTotp',
      summary: 'Confirm an authenticator app',
      summaryAr: 'تأكيد تطبيق المصادقة',
      description: 'From now on, signing in with the password asks for a code of the app, too.',
      body: z.strictObject({
        code: z
          .string()
          .max(64)
          .meta({ examples: ['123456'] }),
      }),
      responses: {
        200: {
          schema: z.strictObject({ recovery_codes: codes.nullable() }),
          description: 'Ten recovery codes, shown this once; null if you still have unused ones',
        },
      },
      secretFields: ['recovery_codes'],
      errors: ['NOT_FOUND'],
      handler: async ({ user, body }) => {
        const made = await totp.confirm(user, body.code);
        return { status: 200, body: { recovery_codes: made && [...made] } };
      },
    }),
    route({
      ...ofUser,
      method: 'DELETE',
      path: '/v1/me/totp',
      operationId: 'removeTotp',
      summary: 'Remove the authenticator app',
      summaryAr: 'إزالة تطبيق المصادقة',
      description: 'The recovery codes stop working, too. Needs a confirmed session.',
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user }) => {
        await totp.remove(user);
        return { status: 204 };
      },
    }),
    route({
      ...ofUser,
      method: 'POST',
      path: '/v1/me/recovery-codes',
      operationId: 'renewRecoveryCodes',
      summary: 'Get new recovery codes',
      summaryAr: 'إنشاء رموز استرداد جديدة',
      description:
        'Each stands once for a code of the authenticator app, if that is lost. Earlier codes stop working. Needs a confirmed session.',
      responses: {
        201: {
          schema: z.strictObject({ recovery_codes: codes.nullable() }),
          description: 'Ten codes, which are shown this once',
        },
      },
      secretFields: ['recovery_codes'],
      errors: ['NOT_FOUND'],
      handler: async ({ user }) => ({
        status: 201,
        body: { recovery_codes: [...(await totp.renewRecoveryCodes(user))] },
      }),
    }),
  ];
}
