import type { AdministratorView } from '../../core/services/administration/administrators.js';
import type { ScriptTokenView } from '../../core/services/administration/script-tokens.js';
import type { KeyView } from '../../core/services/access/keys.js';
import type { AuditVerification } from '../../core/services/audit/verify.js';
import type { Feature } from '../../core/model/flags.js';
import { reader, toWire, type Wire } from '../../core/model/wire.js';
import type { OrganizationView, Platform, ProjectView } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';

const readProject = reader<ProjectView>({ created_at: true });
const readKey = reader<KeyView>({ expires_at: true, revoked_at: true, last_used_at: true, created_at: true });
const readToken = reader<ScriptTokenView>({ created_at: true, last_used_at: true, expires_at: true, revoked_at: true });
const readAdministrator = reader<AdministratorView>({ last_sign_in_at: true, created_at: true });

/** The projects of the installation, oldest first. */
export async function projectsOf(client: AdminClient): Promise<readonly ProjectView[]> {
  return (await client.all<Wire<ProjectView>>('/projects')).map(readProject);
}

/** An organization as the API lists it. */
interface ListedOrganization extends Omit<OrganizationView, 'account_kind'> {
  readonly tier: OrganizationView['account_kind'];
}

/** Organizations, projects and those who have access. */
export function remoteAccess(
  client: AdminClient,
): Pick<
  Platform,
  'contacts' | 'createProjects' | 'limits' | 'features' | 'keys' | 'administrators' | 'scriptTokens' | 'audit'
> {
  return {
    contacts: {
      list: async () =>
        (await client.all<ListedOrganization>('/organizations')).reverse().map(({ id, name, tier, contact_email }) => ({
          ...{ id, name, account_kind: tier, contact_email },
        })),
      set: async (organizationId, email) => {
        await client.send('PATCH', `/organizations/${segment(organizationId)}`, { contact_email: email });
      },
    },
    createProjects: {
      create: async (name, of) => {
        const wanted = 'id' in of ? { organization_id: of.id } : { organization_name: of.name };
        const made = await client.send<Wire<{ organization: { id: string; name: string }; project: ProjectView }>>(
          'POST',
          '/projects',
          { name, ...wanted },
        );
        return { organization: made.organization, project: readProject(made.project) };
      },
    },
    limits: {
      set: async (projectId, limits) => {
        await client.send('PATCH', `/projects/${segment(projectId)}`, limits);
      },
    },
    features: {
      list: async (organization_id) => (await client.get<{ data: Feature[] }>('/flags', { organization_id })).data,
      set: async (organization_id, flag, on) => {
        return (await client.send<{ data: Feature[] }>('PUT', `/flags/${segment(flag)}`, { organization_id, on })).data;
      },
    },
    keys: {
      create: async ({ projectId, name, kind, scopes, allowedIps, rateLimitPerMinute, expiresAt }) => {
        const { secret, ...view } = await client.send<Wire<KeyView> & { readonly secret: string }>(
          'POST',
          `/projects/${segment(projectId)}/keys`,
          {
            ...{ name, kind, rate_limit_per_minute: rateLimitPerMinute ?? null, expires_at: toWire(expiresAt ?? null) },
            ...(scopes && { scopes }),
            ...(allowedIps && { allowed_ips: allowedIps }),
          },
        );
        return { key: secret, view: readKey(view) };
      },
      list: async (projectId) => {
        const { data } = await client.get<{ data: Wire<KeyView>[] }>(`/projects/${segment(projectId)}/keys`);
        return data.map(readKey);
      },
      revoke: async (projectId, id) =>
        readKey(await client.send('DELETE', `/projects/${segment(projectId)}/keys/${segment(id)}`)),
    },
    administrators: {
      create: async (wanted) => readAdministrator(await client.send('POST', '/administrators', wanted)),
    },
    scriptTokens: {
      create: async ({ email, name, expiresAt }) => {
        const { token, ...view } = await client.send<Wire<ScriptTokenView> & { readonly token: string }>(
          'POST',
          '/tokens',
          { email, name, expires_at: toWire(expiresAt) },
        );
        return { token, view: readToken(view) };
      },
      list: async () => (await client.get<{ data: Wire<ScriptTokenView>[] }>('/tokens')).data.map(readToken),
      revoke: async (id) => readToken(await client.send('DELETE', `/tokens/${segment(id)}`)),
    },
    audit: {
      run: async (noted) =>
        client.get<AuditVerification>('/audit/verification', {
          noted: noted && `${noted.sequence}:${noted.hash}`,
        }),
    },
  };
}
