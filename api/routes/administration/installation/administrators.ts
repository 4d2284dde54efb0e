import { z } from 'zod';
import { idOutput, timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { Administrators } from '../../../../core/services/administration/administrators.js';
import type { ScriptTokens } from '../../../../core/services/administration/script-tokens.js';
import { assertPrivate } from '../../accounts/private.js';
import { route, type Route } from '../../../http/route.js';
import { timeInput } from '../../../http/schema/schemas.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { administratorObject, presentAdministrator } from '../setup.js';

const tokenObject = z
  .strictObject({
    id: idOutput,
    administrator_id: idOutput,
    name: z.string().nullable(),
    prefix: z.string().describe('The first characters of the token'),
    status: z.enum(['active', 'expired', 'revoked']),
    created_at: timeOutput,
    last_used_at: timeOutput,
    expires_at: timeOutput.nullable().describe('Null: never'),
    revoked_at: timeOutput.nullable(),
  })
  .meta({ id: 'AdministratorToken' });

export interface AdministratorsServices {
  readonly administrators: Administrators;
  readonly scriptTokens: ScriptTokens;
}

/** Further administrators, and tokens for scripts. */
export function administratorRoutes({ administrators, scriptTokens }: AdministratorsServices): Route[] {
  return [
    route({
      ...writing,
      path: '/v1/admin/administrators',
      operationId: 'createAdministrator',
      summary: 'Create an administrator',
      summaryAr: 'إنشاء مسؤول للمنصة',
      description: 'Every administrator has every right. From another machine, the password needs HTTPS.',
      body: z.strictObject({
        email: z.string().max(300),
        name: z.string().max(200),
        password: z.string().max(1000),
      }),
      auditFields: ['email', 'name'],
      responses: { 201: { schema: administratorObject, description: 'The administrator' } },
      errors: ['PASSWORD_VALIDATION_FAILED'],
      handler: async ({ body, isPrivate, note }) => {
        assertPrivate({ isPrivate });
        const made = await administrators.create(body);
        note({ details: { created_administrator_id: made.id } });
        return { status: 201, body: presentAdministrator(made) };
      },
    }),
    route({
      ...reading,
      path: '/v1/admin/tokens',
      operationId: 'listAdministratorTokens',
      summary: 'List the tokens with which scripts administer',
      summaryAr: 'عرض رموز وصول البرامج إلى إدارة المنصة',
      description: 'Oldest first, with revoked and expired ones.',
      responses: { 200: { schema: z.strictObject({ data: z.array(tokenObject) }), description: 'Every token' } },
      errors: [],
      handler: async () => ({ status: 200, body: { data: toWire(await scriptTokens.list()) } }),
    }),
    route({
      ...writing,
      path: '/v1/admin/tokens',
      operationId: 'createAdministratorToken',
      summary: 'Create a token with which a script administers',
      summaryAr: 'إنشاء رمز وصول لبرنامج يدير المنصة',
      description: 'The token acts for the administrator whose address is given. It is shown only in this answer.',
      body: z.strictObject({
        email: z.string().max(300),
        name: z.string().max(200),
        expires_at: timeInput().nullable().default(null).describe('Null: never'),
      }),
      auditFields: ['email', 'name', 'expires_at'],
      responses: {
        201: {
          schema: tokenObject
            .extend({ token: z.string().describe('Shown only once') })
            .meta({ id: 'NewAdministratorToken' }),
          description: 'The token',
        },
      },
      errors: [],
      handler: async ({ body: { email, name, expires_at }, note }) => {
        const { token, view } = await scriptTokens.create({ email, name, expiresAt: expires_at });
        note({ details: { token_id: view.id } });
        return { status: 201, body: { ...toWire(view), token } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: '/v1/admin/tokens/:token_id',
      operationId: 'revokeAdministratorToken',
      summary: 'Revoke a token with which a script administers',
      summaryAr: 'إلغاء رمز وصول لبرنامج يدير المنصة',
      description: 'At once. A repeat changes nothing.',
      params: z.strictObject({ token_id: z.string() }),
      responses: { 200: { schema: tokenObject, description: 'The token as it is now' } },
      errors: ['NOT_FOUND'],
      handler: async ({ params: { token_id }, note }) => {
        const view = await scriptTokens.revoke(token_id);
        note({ details: { token_id: view.id, name: view.name } });
        return { status: 200, body: toWire(view) };
      },
    }),
  ];
}
