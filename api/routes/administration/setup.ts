import { z } from 'zod';
import type { AdministratorView, Administrators } from '../../../core/services/administration/administrators.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import { assertPrivate } from '../accounts/private.js';
import { route, type Route } from '../../http/route.js';
import { ADMINISTRATION } from './administrator.js';

export const administratorObject = z
  .strictObject({
    id: idOutput,
    email: z.string(),
    name: z.string(),
    totp: z.boolean().describe('Whether the second factor is set'),
    last_sign_in_at: timeOutput.nullable(),
    created_at: timeOutput,
  })
  .meta({ id: 'Administrator' });

export const accessToken = {
  access_token: z.string().describe('Sent as `Authorization: Bearer`'),
  expires_in: z.int().describe('Seconds; the token ends earlier after 30 minutes without a request'),
};

const newAdministrator = z.strictObject({
  code: z.string().max(100).describe('The set-up code of the start screen; case, dashes and spaces do not matter'),
  email: z.string().max(254),
  password: z.string().max(1000),
  name: z.string().max(200),
});

export function setupRoutes({ administrators }: { readonly administrators: Administrators }): Route[] {
  const common = { tag: ADMINISTRATION, scope: null, keyKind: 'none' } as const;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/v1/setup',
      operationId: 'getSetup',
      summary: 'Read whether the installation is set up',
      summaryAr: 'حالة الإعداد الأولي للمنصة',
      responses: {
        200: {
          schema: z.strictObject({ complete: z.boolean().describe('Whether there is an administrator') }),
          description: 'The state of the set-up',
        },
      },
      errors: [],
      handler: async () => ({ status: 200, body: { complete: await administrators.isSetUp() } }),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/v1/setup',
      operationId: 'setUp',
      summary: 'Make the first administrator',
      summaryAr: 'إنشاء أول مسؤول للمنصة',
      description:
        'Works once, with the code that the start screen shows and `setup_code` of `.hatif/bootstrap.json` holds. Further administrators are made by `hatif admin create`.',
      body: newAdministrator,
      responses: {
        201: {
          schema: z.strictObject({ administrator: administratorObject, ...accessToken }),
          description: 'The administrator, signed in',
        },
      },
      errors: ['SETUP_ALREADY_COMPLETE', 'ADMIN_INVALID_CREDENTIALS', 'PASSWORD_VALIDATION_FAILED'],
      handler: async ({ body: { code, ...wanted }, ip, isPrivate, note }) => {
        assertPrivate({ isPrivate });
        const { administrator, session } = await administrators.setUp(code, wanted, ip);
        note({ administrator });
        const { accessToken: access_token, expiresInSeconds: expires_in } = session;
        return {
          status: 201,
          body: { administrator: presentAdministrator(administrator), access_token, expires_in },
        };
      },
    }),
  ];
}

export function presentAdministrator(view: AdministratorView): z.output<typeof administratorObject> {
  return {
    ...view,
    last_sign_in_at: isoTime(view.last_sign_in_at),
    created_at: isoTime(view.created_at),
  };
}
