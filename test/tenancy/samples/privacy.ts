import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArchivePart } from '../../../core/data/rows.js';
import type { Samples } from '../sample.js';
import type { Tenant } from '../tenant.js';

const DAY_MS = 86_400_000;

/** Stores an archive for work that no process of this world does. */
export async function storeArchive(
  { world }: Tenant,
  table: 'privacy_jobs' | 'organization_endings',
  id: string,
): Promise<void> {
  const { db, storages } = world;
  const folder = await mkdtemp(join(tmpdir(), 'hatif-tenancy-'));
  const file = join(folder, 'archive');
  const part: ArchivePart = {
    storage: storages.current.kind,
    storage_key: `tenancy/${id}/1.tar.gz`,
    bytes: 7,
    sha256: '3a'.repeat(32),
  };
  await writeFile(file, 'archive');
  await storages.current.put(part.storage_key, file, 'application/gzip');
  await rm(folder, { recursive: true });
  await db.query(`UPDATE ${table} SET status = 'completed', due_at = NULL, parts = $2, expires_at = $3 WHERE id = $1`, [
    id,
    JSON.stringify([part]),
    new Date(Date.now() + DAY_MS),
  ]);
}

const requestBody = (tenant: Tenant) => ({ subject: { type: 'phone', value: tenant.number() } });

const newRequest = async (tenant: Tenant, kind: 'exports' | 'erasures') => {
  const { id } = await tenant.askAsOwner('POST', `/v1/privacy/${kind}`, requestBody(tenant));
  return { params: { id: String(id) } };
};

export const privacy: Samples = {
  createPrivacyExport: (tenant) => ({ body: requestBody(tenant) }),
  listPrivacyExports: async (tenant) => {
    await newRequest(tenant, 'exports');
    return {};
  },
  getPrivacyExport: (tenant) => newRequest(tenant, 'exports'),
  downloadPrivacyExport: async (tenant) => {
    const on = await newRequest(tenant, 'exports');
    await storeArchive(tenant, 'privacy_jobs', on.params.id);
    return on;
  },

  createPrivacyErasure: (tenant) => ({ body: requestBody(tenant) }),
  listPrivacyErasures: async (tenant) => {
    await newRequest(tenant, 'erasures');
    return {};
  },
  getPrivacyErasure: (tenant) => newRequest(tenant, 'erasures'),
};
