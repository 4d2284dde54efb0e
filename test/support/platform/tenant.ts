import type { Settings } from '../../../config/settings.js';
import { newOrganizationRow, newProjectRow } from '../../../core/services/accounts/new-account.js';
import type { Platform } from '../../../main/platform.js';
import { openCipher } from '../../../main/install/secret.js';

export interface Tenant {
  readonly organizationId: string;
  readonly projectId: string;
  readonly liveKey: string;
  readonly sandboxKey: string;
}

export interface TenantOptions {
  readonly main_number?: string | null;
  readonly flags?: Readonly<Record<string, boolean>>;
}

/** An organization on a running platform, with one project and its keys. */
export async function newTenant(platform: Platform, settings: Settings, options: TenantOptions): Promise<Tenant> {
  const { main_number = null, flags = {} } = options;
  const { stores, management } = platform;
  const created_at = new Date();
  const organization = newOrganizationRow('Tenant', 'production', flags, created_at);
  const project = newProjectRow(organization.id, 'tenant', await openCipher(settings), created_at);
  const [organizationId, projectId] = [organization.id, project.id];
  await stores.organizations.create(organization);
  await stores.projects.create({ ...project, main_number, destination_classes: ['national', 'mobile'] });
  const key = async (kind: 'live' | 'sandbox'): Promise<string> =>
    (await management.keys.create({ projectId, name: kind, kind })).key;
  return { organizationId, projectId, liveKey: await key('live'), sandboxKey: await key('sandbox') };
}
