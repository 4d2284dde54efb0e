import { reader, type Wire } from '../../core/model/wire.js';
import type { OrganizationDeletion, Platform } from '../common/platform.js';
import { segment, type AdminClient } from './client.js';

/** The deletion of an organization as the API shows it. */
interface ListedDeletion extends Omit<Wire<OrganizationDeletion>, 'archive'> {
  readonly archive: { readonly parts: readonly { readonly bytes: number }[]; readonly expires_at: string } | null;
}

const readTimes = reader<Omit<OrganizationDeletion, 'report' | 'archive'>>({
  kept_until: true,
  created_at: true,
  finished_at: true,
});

/** Ends of organizations. */
export function remoteDeletions(client: AdminClient): Pick<Platform, 'deletions'> {
  return {
    deletions: {
      begin: async (id, name) =>
        read(await client.send<ListedDeletion>('DELETE', `/organizations/${segment(id)}`, { name })),
      read: async (id) => read(await client.get<ListedDeletion>(`/organizations/${segment(id)}/deletion`)),
    },
  };
}

function read(listed: ListedDeletion): OrganizationDeletion {
  const { organization_id, organization_name, status, step, problem, report, archive } = listed;
  const { kept_until, created_at, finished_at } = listed;
  const parts = archive?.parts ?? [];
  return {
    ...readTimes({ organization_id, organization_name, status, step, problem, kept_until, created_at, finished_at }),
    report: report.map((entry) => ({
      ...entry,
      kept: entry.kept.map(({ reason, count, until }) => ({ reason, count, until })),
    })),
    archive: {
      files: parts.length,
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      expires_at: archive === null ? null : new Date(archive.expires_at),
    },
  };
}
