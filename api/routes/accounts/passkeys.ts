import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import type { PasskeyRow } from '../../../core/data/repositories/accounts/passkeys.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import type { PasskeySetup } from '../../../core/services/accounts/passkey-setup.js';
import { route, type Route } from '../../http/route.js';
import { idParam } from '../../http/schema/schemas.js';
import { credential, webauthnOptions } from './webauthn.js';

const TAG = 'Your account';

export interface PasskeyRoutesServices {
  readonly passkeys: PasskeySetup;
}

const passkeyObject = z
  .strictObject({
    id: idOutput,
    name: z.string(),
    synced: z.boolean().describe('Kept by an account of the device’s maker, and so on several devices'),
    created_at: timeOutput,
    last_used_at: timeOutput.nullable(),
  })
  .meta({ id: 'Passkey' });

function present({ id, name, is_synced, created_at, last_used_at }: PasskeyRow): z.output<typeof passkeyObject> {
  return {
    id,
    name,
    synced: is_synced,
    created_at: isoTime(created_at),
    last_used_at: isoTime(last_used_at),
  };
}

export function passkeyRoutes({ passkeys }: PasskeyRoutesServices): Route[] {
  const ofUser = { tag: TAG, keyKind: 'user', permission: null, enrols: true } as const;
  return [
    route({
      ...ofUser,
      method: 'POST',
      path: '/v1/me/passkeys/options',
      operationId: 'beginPasskey',
      summary: 'Begin to add a passkey',
      summaryAr: 'بدء إضافة مفتاح مرور',
      description:
        'Give `options` to `navigator.credentials.create()`. Passkeys belong to the domain of the public address. Needs a confirmed session.',
      idempotent: false,
      responses: { 200: { schema: webauthnOptions, description: 'The challenge, which works once, for 5 minutes' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user }) => ({ status: 200, body: { options: { ...(await passkeys.begin(user)) } } }),
    }),
    route({
      ...ofUser,
      method: 'POST',
      path: '/v1/me/passkeys',
      operationId: 'addPasskey',
      summary: 'Add a passkey',
      summaryAr: 'إضافة مفتاح مرور',
      description: 'Takes what the authenticator made. A user has at most 20 passkeys.',
      idempotent: false,
      body: z.strictObject({ name: z.string().trim().min(1).max(100), credential }),
      responses: { 201: { schema: passkeyObject, description: 'Added' } },
      errors: ['NOT_FOUND', 'IDENTITY_CONFLICT'],
      handler: async ({ user, body }) => {
        // The verifier checks the form of the members.
        const made = await passkeys.add(user, body.name, body.credential as unknown as RegistrationResponseJSON);
        return { status: 201, body: present(made) };
      },
    }),
    route({
      ...ofUser,
      method: 'GET',
      path: '/v1/me/passkeys',
      operationId: 'listPasskeys',
      summary: 'List your passkeys',
      summaryAr: 'عرض مفاتيح المرور',
      responses: { 200: { schema: z.strictObject({ data: z.array(passkeyObject) }), description: 'Oldest first' } },
      errors: [],
      handler: async ({ user }) => ({ status: 200, body: { data: (await passkeys.list(user)).map(present) } }),
    }),
    route({
      ...ofUser,
      method: 'DELETE',
      path: '/v1/me/passkeys/:passkey_id',
      operationId: 'removePasskey',
      summary: 'Remove a passkey',
      summaryAr: 'إزالة مفتاح مرور',
      description: 'Needs a confirmed session.',
      params: z.strictObject({ passkey_id: idParam('NOT_FOUND') }),
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['NOT_FOUND'],
      handler: async ({ user, params }) => {
        await passkeys.remove(user, params.passkey_id);
        return { status: 204 };
      },
    }),
  ];
}
