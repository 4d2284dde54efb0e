import { z } from 'zod';
import { ROLES } from '../../../core/model/access/roles.js';
import { idOutput, timeOutput } from '../../../core/model/objects/fields.js';
import { isoTime } from '../../../core/model/time.js';
import { callbackUrl } from '../../../core/services/single-sign-on/begin.js';
import type { SsoSettingsService, SsoView } from '../../../core/services/single-sign-on/settings.js';
import { bilingual } from '../../http/schema/bilingual.js';
import { route, type Route } from '../../http/route.js';
import { assertPrivate } from './private.js';
import { projectIds } from './member-fields.js';

const TAG = 'Single sign-on';

/** RFC 6749 §3.3 */
const scope = z
  .string()
  .regex(
    /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/,
    bilingual('must be 1 to 100 characters without blanks', 'يجب أن يتكوّن من 1 إلى 100 حرف بلا مسافات'),
  );
const role = z.enum(ROLES);
const ordinaryRole = role.exclude(['owner']);
const claim = z.string().trim().min(1).max(200);
const group = z.string().trim().min(1).max(256);

const DESCRIBED = {
  issuer: 'The issuer of the identity provider, exactly as its metadata has it',
  authentication: 'Where the client secret is sent: in the `Authorization` header, or in the body',
  group_claim: 'The claim with the groups of a person; a part of one behind a dot (`realm_access.roles`)',
  group_roles: 'The first entry whose `group` the person has gives the role',
  default_role: 'Of people without a fitting entry; null: they do not enter',
  admits_owners: 'Whether owners sign in through the provider, and entries may give the role `owner`',
  forced_domains: 'Verified domains whose people have no other way in, while `enabled` and `admits_owners` are true',
};

const settings = z.strictObject({
  issuer: z.string().max(2048).describe(DESCRIBED.issuer),
  client_id: z.string().trim().min(1).max(255),
  client_secret: z
    .string()
    .min(1)
    .max(1000)
    .nullish()
    .describe('Never shown again; null for a public client. Without it, the stored one stays'),
  client_authentication: z.enum(['basic', 'post']).default('basic').describe(DESCRIBED.authentication),
  scopes: z
    .array(scope)
    .max(20)
    .default(['openid', 'email', 'profile'])
    .refine((scopes) => scopes.includes('openid'), bilingual('must contain openid', 'يجب أن تتضمن `openid`')),
  group_claim: claim.default('groups').describe(DESCRIBED.group_claim),
  group_roles: z
    .array(z.strictObject({ group, role, project_ids: projectIds.nullable().default(null) }))
    .max(200)
    .default([])
    .describe(DESCRIBED.group_roles),
  default_role: ordinaryRole.nullable().default(null).describe(DESCRIBED.default_role),
  default_project_ids: projectIds.nullable().default(null),
  admits_owners: z.boolean().optional().describe(`${DESCRIBED.admits_owners}. Default: whether you are an owner`),
  forced_domains: z.array(z.string().max(253)).max(50).default([]).describe(DESCRIBED.forced_domains),
  enabled: z.boolean().default(false),
});

const ssoObject = z
  .strictObject({
    issuer: z.string().describe(DESCRIBED.issuer),
    client_id: z.string(),
    has_client_secret: z.boolean(),
    client_authentication: z.enum(['basic', 'post']).describe(DESCRIBED.authentication),
    scopes: z.array(z.string()),
    group_claim: z.string().describe(DESCRIBED.group_claim),
    group_roles: z
      .array(z.strictObject({ group: z.string(), role, project_ids: z.array(idOutput).nullable() }))
      .describe(DESCRIBED.group_roles),
    default_role: role.nullable().describe(DESCRIBED.default_role),
    default_project_ids: z.array(idOutput).nullable(),
    admits_owners: z.boolean().describe(DESCRIBED.admits_owners),
    forced_domains: z.array(z.string()).describe(DESCRIBED.forced_domains),
    enabled: z.boolean(),
    callback_url: z.string().describe('To be registered at the identity provider as the redirect URI'),
    created_at: timeOutput,
    updated_at: timeOutput,
  })
  .meta({ id: 'SingleSignOn' });

export interface SsoRoutesServices {
  readonly settings: SsoSettingsService;
  readonly publicUrl: () => string;
}

/** The identity provider of the organization. */
export function ssoRoutes({ settings: service, publicUrl }: SsoRoutesServices): Route[] {
  const shared = { tag: TAG, keyKind: 'user', permission: 'sso:write', path: '/v1/sso' } as const;
  const present = ({ row, forcedDomains }: SsoView): z.output<typeof ssoObject> => ({
    issuer: row.issuer,
    client_id: row.client_id,
    has_client_secret: row.client_secret !== null,
    client_authentication: row.client_authentication,
    scopes: [...row.scopes],
    group_claim: row.group_claim,
    group_roles: row.group_roles.map(({ group: name, role: given, project_ids }) => ({
      group: name,
      role: given,
      project_ids: project_ids && [...project_ids],
    })),
    default_role: row.default_role,
    default_project_ids: row.default_project_ids && [...row.default_project_ids],
    admits_owners: row.admits_owners,
    forced_domains: [...forcedDomains],
    enabled: row.enabled,
    callback_url: callbackUrl(publicUrl()),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  });
  return [
    route({
      ...shared,
      method: 'GET',
      operationId: 'getSso',
      summary: 'Read the settings of single sign-on',
      summaryAr: 'قراءة إعدادات تسجيل الدخول الموحّد',
      description: 'For members of all projects.',
      responses: { 200: { schema: ssoObject, description: 'The settings, without the client secret' } },
      errors: ['SSO_NOT_CONFIGURED'],
      handler: async ({ user }) => ({ status: 200, body: present(await service.get(user)) }),
    }),
    route({
      ...shared,
      method: 'PUT',
      operationId: 'putSso',
      summary: 'Set up single sign-on',
      summaryAr: 'تهيئة تسجيل الدخول الموحّد',
      description:
        'Sets everything: what the body leaves out gets its default, except the client secret, which stays while `issuer` and `client_id` ' +
        'stay. If `enabled` is true, the provider must answer now. Who chooses the provider can sign in as anybody that it names, so ' +
        'only an owner switches `admits_owners` on, gives groups the role `owner`, and changes `issuer` or `client_id` while one of them ' +
        'counts. Members of a directory get the roles of new entries at once, all others at the next sign-in.',
      body: settings,
      auditFields: [
        ...['issuer', 'client_id', 'client_authentication', 'scopes', 'group_claim', 'group_roles', 'default_role'],
        ...['default_project_ids', 'admits_owners', 'forced_domains', 'enabled'],
      ],
      responses: { 200: { schema: ssoObject, description: 'The settings as they are now' } },
      errors: ['SSO_PROVIDER_UNAVAILABLE'],
      handler: async ({ user, body, isPrivate }) => {
        if (typeof body.client_secret === 'string') assertPrivate({ isPrivate });
        const { client_secret, admits_owners, ...rest } = body;
        return { status: 200, body: present(await service.put(user, { ...rest, client_secret, admits_owners })) };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      operationId: 'deleteSso',
      summary: 'Remove single sign-on',
      summaryAr: 'إزالة تسجيل الدخول الموحّد',
      description:
        'Members sign in as before; those without a password need one of `POST /v1/password/forgot`. Sessions continue.',
      responses: { 204: { schema: null, description: 'Removed' } },
      errors: ['SSO_NOT_CONFIGURED'],
      handler: async ({ user }) => {
        await service.remove(user);
        return { status: 204 };
      },
    }),
  ];
}
