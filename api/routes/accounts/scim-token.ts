import { z } from 'zod';
import type { ScimTokenRow } from '../../../core/data/rows.js';
import { timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { ScimTokenService } from '../../../core/services/scim/token.js';
import { route, type Route } from '../../http/route.js';
import { SCIM_ROOT } from '../../http/scim/form.js';

const TAG = 'Single sign-on';

const keysOfLeavers = z
  .enum(['revoke', 'keep'])
  .describe('What happens to the API keys that a member made, when the directory takes the member out');

const tokenObject = z
  .strictObject({
    base_url: z.string().describe('The address that the directory asks for'),
    prefix: z.string().describe('The first characters of the token'),
    keys_of_leavers: keysOfLeavers,
    created_at: timeOutput,
    last_used_at: timeOutput.nullable().describe('To the minute'),
  })
  .meta({ id: 'ScimToken' });

const withToken = tokenObject
  .extend({ token: z.string().nullable().describe('Shown only once') })
  .meta({ id: 'NewScimToken' });

export interface ScimTokenRoutesServices {
  readonly token: ScimTokenService;
  readonly publicUrl: () => string;
}

export function scimTokenRoutes({ token: service, publicUrl }: ScimTokenRoutesServices): Route[] {
  const shared = { tag: TAG, keyKind: 'user', permission: 'scim:write', path: '/v1/scim/token' } as const;
  const present = ({
    prefix,
    keys_of_leavers,
    created_at,
    last_used_at,
  }: ScimTokenRow): z.output<typeof tokenObject> => ({
    base_url: `${publicUrl()}${SCIM_ROOT}`,
    prefix,
    keys_of_leavers,
    created_at: isoTime(created_at),
    last_used_at: isoTime(last_used_at),
  });
  return [
    route({
      ...shared,
      method: 'GET',
      operationId: 'getScimToken',
      summary: 'Read the SCIM token',
      summaryAr: 'قراءة رمز SCIM',
      description:
        'Age, use and settings of the token with which a directory provisions the organization; not the token itself.',
      responses: { 200: { schema: tokenObject, description: 'Without the token' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user }) => ({ status: 200, body: present(await service.get(user)) }),
    }),
    route({
      ...shared,
      method: 'POST',
      operationId: 'renewScimToken',
      summary: 'Make or replace the SCIM token',
      summaryAr: 'إنشاء رمز SCIM أو استبداله',
      description: 'The token is shown only in this answer. The one before stops working within two seconds.',
      body: z.strictObject({ keys_of_leavers: keysOfLeavers.default('revoke') }),
      auditFields: ['keys_of_leavers'],
      secretFields: ['token'],
      responses: { 201: { schema: withToken, description: 'With the token' } },
      errors: [],
      handler: async ({ user, body }) => {
        const { row, token } = await service.renew(user, body.keys_of_leavers);
        return { status: 201, body: { ...present(row), token } };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      operationId: 'removeScimToken',
      summary: 'Remove the SCIM token',
      summaryAr: 'إزالة رمز SCIM',
      description:
        'The directory can do nothing any more, within two seconds. Members and groups stay as it left them.',
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user }) => {
        await service.remove(user);
        return { status: 204 };
      },
    }),
  ];
}
