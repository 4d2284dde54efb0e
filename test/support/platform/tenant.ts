import type { Settings } from '../../../config/settings.js';
import { newId } from '../../../core/model/ids.js';
import { newSigningSecret } from '../../../core/services/webhooks/secret.js';
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
  const [organizationId, projectId, created_at] = [newId(), newId(), new Date()];
  await stores.organizations.create({
    id: organizationId,
    name: 'Tenant',
    account_kind: 'production',
    flags,
    contact_email: null,
    created_at,
  });
  await stores.projects.create({
    id: projectId,
    organization_id: organizationId,
    name: 'tenant',
    main_number,
    default_destination: null,
    signing_secret: (await openCipher(settings)).seal(newSigningSecret()),
    recording_retention_days: null,
    recording_announcement: 'off',
    destination_classes: ['national'],
    max_calls: 50,
    fraud_limits: null,
    created_at,
  });
  const key = async (kind: 'live' | 'sandbox'): Promise<string> =>
    (await management.keys.create({ projectId, name: kind, kind })).key;
  return { organizationId, projectId, liveKey: await key('live'), sandboxKey: await key('sandbox') };
}
