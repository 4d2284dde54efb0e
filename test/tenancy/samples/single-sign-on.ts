import { GROUP_SCHEMA, PATCH_MESSAGE, USER_SCHEMA } from '../../../core/model/scim/urns.js';
import type { Asked, Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';

/** The provider is asked only by what is switched on. */
export const ssoSettings = () => ({
  issuer: 'https://login.example.com',
  client_id: 'hatif',
  client_secret: 'a secret of the identity provider',
  group_roles: [{ group: 'Engineers', role: 'developer' }],
  default_role: 'viewer',
});

const withSettings = async (tenant: Tenant): Promise<Asked> => {
  await tenant.askAsOwner('PUT', '/v1/sso', ssoSettings());
  return {};
};
const withToken = async (tenant: Tenant): Promise<Asked> => {
  await tenant.scimToken();
  return {};
};

const newDomain = (tenant: Tenant): string => tenant.secret(`${tenant.word('domain')}.example`);
const claimed = async (tenant: Tenant): Promise<string> => {
  const domain = newDomain(tenant);
  await tenant.askAsOwner('POST', '/v1/sso/domains', { domain });
  return domain;
};
const onDomain = async (tenant: Tenant) => ({ params: { domain: await claimed(tenant) } });
const onAdministeredDomain = (domain: string, { ground }: Tenant) => ({
  params: { organization_id: ground.organizationId, domain },
});

/** A verified domain: the installation’s administrator looks at no DNS. */
const verified = (tenant: Tenant): Promise<string> =>
  tenant.once('verified domain', async () => {
    const domain = newDomain(tenant);
    const path = `/v1/admin/organizations/${tenant.ground.organizationId}/sso-domains/${domain}`;
    const answer = await tenant.request('PUT', path, { key: tenant.world.administrator });
    if (answer.status !== 200) throw new Error(answer.text);
    return domain;
  });

async function userBody(tenant: Tenant): Promise<Readonly<Record<string, unknown>>> {
  const userName = tenant.secret(`${tenant.word('mailbox')}@${await verified(tenant)}`);
  const name = { givenName: 'Reem', familyName: 'Alharbi' };
  return { schemas: [USER_SCHEMA], userName, externalId: tenant.word('user'), name, active: true };
}

const groupBody = async (tenant: Tenant) => ({
  schemas: [GROUP_SCHEMA],
  displayName: tenant.word('group'),
  members: [{ value: await newUser(tenant) }],
});

async function provision(tenant: Tenant, path: string, json: unknown): Promise<string> {
  const { id } = await tenant.ask('POST', `/scim/v2/${path}`, json, { key: await tenant.scimToken() });
  return String(id);
}
const newUser = async (tenant: Tenant): Promise<string> => provision(tenant, 'Users', await userBody(tenant));
const newGroup = async (tenant: Tenant): Promise<string> => provision(tenant, 'Groups', await groupBody(tenant));
const onUser = async (tenant: Tenant) => ({ params: { id: await newUser(tenant) } });
const onGroup = async (tenant: Tenant) => ({ params: { id: await newGroup(tenant) } });

const patch = (...Operations: object[]) => ({ schemas: [PATCH_MESSAGE], Operations });

export const singleSignOn: Samples = {
  getSso: withSettings,
  putSso: () => ({ body: ssoSettings() }),
  deleteSso: withSettings,

  listSsoDomains: async (tenant) => {
    await claimed(tenant);
    return {};
  },
  claimSsoDomain: (tenant) => ({ body: { domain: newDomain(tenant) } }),
  removeSsoDomain: onDomain,

  getScimToken: withToken,
  renewScimToken: () => ({ body: { keys_of_leavers: 'revoke' } }),
  removeScimToken: withToken,

  deleteSsoOfOrganization: async (tenant) => {
    await withSettings(tenant);
    return { params: { organization_id: tenant.ground.organizationId } };
  },
  setSsoDomainOfOrganization: (tenant) => onAdministeredDomain(newDomain(tenant), tenant),
  removeSsoDomainOfOrganization: async (tenant) => onAdministeredDomain(await claimed(tenant), tenant),

  scimGetConfig: () => ({}),
  scimListResourceTypes: () => ({}),
  scimGetResourceType: () => ({ params: { id: 'User' } }),
  scimListSchemas: () => ({}),
  scimGetSchema: () => ({ params: { id: USER_SCHEMA } }),

  scimListUsers: async (tenant) => {
    await newUser(tenant);
    return {};
  },
  scimCreateUser: async (tenant) => ({ body: await userBody(tenant) }),
  scimGetUser: onUser,
  scimReplaceUser: async (tenant) => ({ ...(await onUser(tenant)), body: await userBody(tenant) }),
  scimChangeUser: async (tenant) => ({
    ...(await onUser(tenant)),
    body: patch({ op: 'replace', path: 'active', value: false }),
  }),
  scimRemoveUser: onUser,

  scimListGroups: async (tenant) => {
    await newGroup(tenant);
    return {};
  },
  scimCreateGroup: async (tenant) => ({ body: await groupBody(tenant) }),
  scimGetGroup: onGroup,
  scimReplaceGroup: async (tenant) => ({ ...(await onGroup(tenant)), body: await groupBody(tenant) }),
  scimChangeGroup: async (tenant) => ({
    ...(await onGroup(tenant)),
    body: patch({ op: 'add', path: 'members', value: [{ value: await newUser(tenant) }] }),
  }),
  scimRemoveGroup: onGroup,
};
