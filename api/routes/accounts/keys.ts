import { z } from 'zod';
import { KEY_KINDS } from '../../../core/model/access/keys.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import { revealForbidden, type MemberKeyService, type MemberKeyView } from '../../../core/services/accounts/keys.js';
import { cursorPage } from '../../http/paging.js';
import { route, type Route } from '../../http/route.js';
import { cursorList, cursorQuery, idInput, idParam, timeInput } from '../../http/schema/schemas.js';
import { keyFields } from './key-fields.js';

const TAG = 'API keys';

const keyObject = z
  .strictObject({
    ...keyFields,
    revealable_until: timeOutput.nullable().describe('Until when the secret can be revealed; null: it cannot'),
    created_at: timeOutput,
  })
  .meta({ id: 'ApiKey' });

const withSecret = keyObject
  .extend({ secret: z.string().nullable().describe('Shown only once') })
  .meta({ id: 'ApiKeyWithSecret' });

const name = z.string().trim().min(1).max(100);
/** The service checks the names, so that an unknown one answers INVALID_SCOPE. */
const scopes = z.array(z.string().max(64)).min(1).max(64);
const allowedIps = z.array(z.string().max(64)).max(100);
const params = z.strictObject({ key_id: idParam('API_KEY_NOT_FOUND') });

const OWN_SCOPES = 'Scopes that your role lacks are refused with `INSUFFICIENT_ROLE`.';

export function keyRoutes({ keys }: { readonly keys: MemberKeyService }): Route[] {
  const shared = { tag: TAG, keyKind: 'user' } as const;
  const reading = { ...shared, method: 'GET', permission: 'keys:read' } as const;
  const writing = { ...shared, permission: 'keys:write' } as const;
  return [
    route({
      ...reading,
      path: '/v1/keys',
      operationId: 'listKeys',
      summary: 'List API keys',
      summaryAr: 'عرض مفاتيح API',
      description: 'The keys of your projects, newest first, with revoked and expired ones.',
      query: z.strictObject({ ...cursorQuery, project_id: idInput.optional() }),
      responses: { 200: { schema: cursorList(keyObject), description: 'One page of keys' } },
      errors: [],
      handler: async ({ user, query, cursors }) => {
        const { project_id = null, cursor, limit } = query;
        const rows = await keys.page(user, project_id, cursors.read(cursor), limit + 1);
        return { status: 200, body: cursorPage(rows, limit, cursors, ({ id }) => id, present) };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/keys',
      operationId: 'createKey',
      summary: 'Create an API key',
      summaryAr: 'إنشاء مفتاح API',
      description:
        `The secret is shown only in this answer. ${OWN_SCOPES} Without \`scopes\`, the key gets every scope that your role has, ` +
        'except `pii:read`. A live key needs an organization in production and a confirmed e-mail address of yours.',
      body: z.strictObject({
        project_id: idInput,
        name,
        kind: z.enum(KEY_KINDS),
        scopes: scopes.optional(),
        allowed_ips: allowedIps.optional(),
        expires_at: timeInput().nullish(),
      }),
      auditFields: ['project_id', 'name', 'kind', 'scopes', 'allowed_ips', 'expires_at'],
      secretFields: ['secret'],
      responses: { 201: { schema: withSecret, description: 'The key, with its secret' } },
      errors: ['PROJECT_NOT_FOUND', 'INVALID_SCOPE', 'PRODUCTION_TIER_REQUIRED', 'EMAIL_NOT_CONFIRMED'],
      handler: async ({ user, body }) => {
        const { project_id: projectId, allowed_ips, expires_at, ...rest } = body;
        const made = await keys.create(user, { ...rest, projectId, allowedIps: allowed_ips, expiresAt: expires_at });
        return { status: 201, body: { ...present(made.view), secret: made.secret } };
      },
    }),
    route({
      ...reading,
      path: '/v1/keys/:key_id',
      operationId: 'getKey',
      summary: 'Read an API key',
      summaryAr: 'قراءة مفتاح API',
      params,
      responses: { 200: { schema: keyObject, description: 'The key, without its secret' } },
      errors: ['API_KEY_NOT_FOUND'],
      handler: async ({ user, params: { key_id } }) => ({
        status: 200,
        body: present(await keys.get(user, key_id)),
      }),
    }),
    route({
      ...writing,
      method: 'PATCH',
      path: '/v1/keys/:key_id',
      operationId: 'changeKey',
      summary: 'Change an API key',
      summaryAr: 'تعديل مفتاح API',
      description: `${OWN_SCOPES} Scopes that the key has can stay. A revoked key cannot be changed.`,
      params,
      body: z.strictObject({
        name: name.optional(),
        scopes: scopes.optional(),
        allowed_ips: allowedIps.optional(),
        expires_at: timeInput().nullish(),
      }),
      auditFields: ['name', 'scopes', 'allowed_ips', 'expires_at'],
      responses: { 200: { schema: keyObject, description: 'The key as it is now' } },
      errors: ['API_KEY_NOT_FOUND', 'INVALID_SCOPE'],
      handler: async ({ user, params: { key_id }, body }) => {
        const { allowed_ips, expires_at, ...rest } = body;
        const change = { ...rest, allowedIps: allowed_ips, expiresAt: expires_at };
        return { status: 200, body: present(await keys.change(user, key_id, change)) };
      },
    }),
    route({
      ...writing,
      method: 'DELETE',
      path: '/v1/keys/:key_id',
      operationId: 'revokeKey',
      summary: 'Revoke an API key',
      summaryAr: 'إلغاء مفتاح API',
      description: 'For good: every process refuses the key within two seconds. A repeat changes nothing.',
      params,
      responses: { 204: { schema: null, description: 'Revoked' } },
      errors: ['API_KEY_NOT_FOUND'],
      handler: async ({ user, params: { key_id } }) => {
        await keys.revoke(user, key_id);
        return { status: 204 };
      },
    }),
    route({
      ...writing,
      method: 'POST',
      path: '/v1/keys/:key_id/rotate',
      operationId: 'rotateKey',
      summary: 'Give an API key a new secret',
      summaryAr: 'إنشاء قيمة سرية جديدة لمفتاح API',
      description:
        'The old secret stops working: every process refuses it within two seconds. The new one is shown only in this answer. ' +
        'A key that has scopes which your role lacks is refused with `INSUFFICIENT_ROLE`.',
      params,
      secretFields: ['secret'],
      responses: { 200: { schema: withSecret, description: 'The key, with its new secret' } },
      errors: ['API_KEY_NOT_FOUND', 'PRODUCTION_TIER_REQUIRED', 'EMAIL_NOT_CONFIRMED'],
      handler: async ({ user, params: { key_id } }) => {
        const made = await keys.rotate(user, key_id);
        return { status: 200, body: { ...present(made.view), secret: made.secret } };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/v1/keys/:key_id/reveal',
      operationId: 'revealKey',
      summary: 'Reveal the secret of an API key',
      summaryAr: 'إظهار القيمة السرية لمفتاح API',
      description:
        'For owners and admins who confirmed in the last five minutes that it is them (`POST /v1/sessions/confirm`), if the organization ' +
        'allows it (`key_reveal`); everybody else gets `API_KEY_REVEAL_FORBIDDEN`. The secret is kept for 30 days after it was made, and ' +
        'only if the organization allowed it then. Each use is in the audit log.',
      permission: 'keys:reveal',
      refuseRole: () => revealForbidden('role'),
      isAudited: true,
      params,
      responses: {
        200: { schema: z.strictObject({ id: idOutput, secret: z.string() }), description: 'The secret' },
      },
      errors: ['API_KEY_REVEAL_FORBIDDEN', 'API_KEY_NOT_FOUND', 'API_KEY_REVEAL_UNAVAILABLE'],
      handler: async ({ user, params: { key_id } }) => ({
        status: 200,
        body: { id: key_id, secret: await keys.reveal(user, key_id) },
      }),
    }),
  ];
}

function present(view: MemberKeyView): z.output<typeof keyObject> {
  const { expires_at, revoked_at, last_used_at, revealable_until, created_at, ...rest } = view;
  return {
    ...rest,
    scopes: [...rest.scopes],
    allowed_ips: [...rest.allowed_ips],
    expires_at: isoTime(expires_at),
    revoked_at: isoTime(revoked_at),
    last_used_at: isoTime(last_used_at),
    revealable_until: isoTime(revealable_until),
    created_at: isoTime(created_at),
  };
}
