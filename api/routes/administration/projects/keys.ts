import { z } from 'zod';
import { KEY_KINDS } from '../../../../core/model/access/keys.js';
import { timeOutput } from '../../../../core/model/objects/fields.js';
import { toWire } from '../../../../core/model/wire.js';
import type { KeyService } from '../../../../core/services/access/keys.js';
import { route, type Route } from '../../../http/route.js';
import { timeInput } from '../../../http/schema/schemas.js';
import { keyFields } from '../../accounts/key-fields.js';
import { byAdministrator, reading, writing } from '../administrator.js';
import { noteOn, paramsOf, PROJECT, projectParams, type FindProject } from './project.js';

const keyObject = z
  .strictObject({
    ...keyFields,
    created_at: timeOutput,
  })
  .meta({ id: 'AdministeredKey' });

const params = paramsOf({ key_id: z.string() });

export interface AdministeredKeysServices {
  readonly find: FindProject;
  readonly keys: KeyService;
  /** Drops what this process caches of keys. */
  readonly clearCaches: () => void;
}

/** The API keys of projects. */
export function administeredKeyRoutes({ find, keys, clearCaches }: AdministeredKeysServices): Route[] {
  return [
    route({
      ...reading,
      path: `${PROJECT}/keys`,
      operationId: 'listKeysOfProject',
      summary: 'List the API keys of a project',
      summaryAr: 'عرض مفاتيح API لمشروع',
      description: 'Oldest first, with revoked and expired ones.',
      params: projectParams,
      responses: { 200: { schema: z.strictObject({ data: z.array(keyObject) }), description: 'Every key' } },
      errors: ['PROJECT_NOT_FOUND'],
      handler: async ({ params: { project_id } }) => {
        const { id } = await find.get(project_id);
        return { status: 200, body: { data: toWire(await keys.list(id)) } };
      },
    }),
    route({
      ...writing,
      path: `${PROJECT}/keys`,
      operationId: 'createKeyOfProject',
      summary: 'Create an API key for a project',
      summaryAr: 'إنشاء مفتاح API لمشروع',
      description:
        'The secret is shown only in this answer. Without `scopes`, the key has every scope except `pii:read`.',
      params: projectParams,
      body: z.strictObject({
        name: z.string().max(200),
        kind: z.enum(KEY_KINDS),
        scopes: z.array(z.string().max(64)).max(64).optional(),
        allowed_ips: z.array(z.string().max(64)).max(100).optional(),
        rate_limit_per_minute: z.number().nullable().default(null).describe('Null: the default of the kind'),
        expires_at: timeInput().nullable().default(null),
      }),
      auditFields: ['name', 'kind', 'scopes', 'allowed_ips', 'rate_limit_per_minute', 'expires_at'],
      responses: {
        201: {
          schema: keyObject
            .extend({ secret: z.string().describe('Shown only once') })
            .meta({ id: 'AdministeredKeyWithSecret' }),
          description: 'The key, with its secret',
        },
      },
      errors: ['PROJECT_NOT_FOUND', 'INVALID_SCOPE'],
      handler: async ({ params: { project_id }, body, note }) => {
        const project = await find.get(project_id);
        const { name, kind, scopes, allowed_ips, rate_limit_per_minute, expires_at } = body;
        const { key, view } = await keys.create({
          ...{ projectId: project.id, name, kind, rateLimitPerMinute: rate_limit_per_minute, expiresAt: expires_at },
          ...(scopes && { scopes }),
          ...(allowed_ips && { allowedIps: allowed_ips }),
        });
        note(noteOn(project, { key_id: view.id }));
        return { status: 201, body: { ...toWire(view), secret: key } };
      },
    }),
    route({
      ...byAdministrator,
      method: 'DELETE',
      path: `${PROJECT}/keys/:key_id`,
      operationId: 'revokeKeyOfProject',
      summary: 'Revoke an API key of a project',
      summaryAr: 'إلغاء مفتاح API لمشروع',
      description: 'For good: every process refuses the key within seconds. A repeat changes nothing.',
      params,
      responses: { 200: { schema: keyObject, description: 'The key as it is now' } },
      errors: ['PROJECT_NOT_FOUND', 'API_KEY_NOT_FOUND'],
      handler: async ({ params: { project_id, key_id }, note }) => {
        const project = await find.get(project_id);
        const view = await keys.revoke(project.id, key_id);
        clearCaches();
        note(noteOn(project, { key_id: view.id, name: view.name }));
        return { status: 200, body: toWire(view) };
      },
    }),
  ];
}
