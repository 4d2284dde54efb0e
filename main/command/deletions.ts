import type { OrganizationDeletion, Platform } from '../../cli/common/platform.js';
import type { OrganizationEndingRow } from '../../core/data/rows.js';
import { HatifError } from '../../core/model/errors/index.js';
import { isId, newId } from '../../core/model/ids.js';
import type { EndOrganizations } from '../../core/services/organization-end/end.js';

/** Ends of organizations, for the command on the machine of the installation. */
export function openDeletions(ends: EndOrganizations): Platform['deletions'] {
  return {
    begin: async (id, name) => shown(await ends.end(asId(id), name, { administratorId: null, requestId: newId() })),
    read: async (id) => shown(await ends.get(asId(id))),
  };
}

/** As the route reads it. @throws HatifError NOT_FOUND */
function asId(text: string): string {
  if (!isId(text)) throw new HatifError('NOT_FOUND', { what: text });
  return text.toLowerCase();
}

function shown(row: OrganizationEndingRow): OrganizationDeletion {
  const { organization_id, organization_name, status, step, problem, report, parts } = row;
  const { expires_at, kept_until, created_at, finished_at } = row;
  const files = expires_at === null ? [] : parts;
  return {
    ...{ organization_id, organization_name, status, step, problem, report, kept_until, created_at, finished_at },
    archive: { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), expires_at },
  };
}
