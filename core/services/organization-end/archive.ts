import type { OrganizationEndingRow } from '../../data/rows.js';
import { withAllCounts } from '../../model/privacy/report.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import { ARCHIVE_START, type ArchiveBuilder, type ArchivePosition } from '../archives/builder.js';
import type { Step } from '../resumable-work/work.js';
import { organizationSources, type OrganizationSourcesOptions } from './sources.js';

export interface ArchiveOrganizationOptions extends OrganizationSourcesOptions {
  readonly archives: ArchiveBuilder;
  /** How long the archive can be downloaded. */
  readonly archiveDays: number;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;

/** Stores everything of the organization in an archive that the operator can download. */
export function archiveOrganization(options: ArchiveOrganizationOptions, next: string): Step<OrganizationEndingRow> {
  const { archives, archiveDays, clock } = options;
  return (work) => {
    const { id, organization_id: organization, cursor, parts, report: before } = work.row;
    return archives.build({
      id,
      prefix: `organizations/${organization}`,
      sources: organizationSources(options, organization),
      from: (cursor as ArchivePosition | null) ?? ARCHIVE_START,
      parts,
      about: aboutOf(work.row),
      report: (counts) => `${JSON.stringify(withAllCounts(before, counts), null, 2)}\n`,
      keepClaim: () => work.keepClaim(),
      onPart: (part, following, counts) =>
        work.advance(() => {
          const progress = { parts: [...work.row.parts, part], report: withAllCounts(work.row.report, counts) };
          if (following !== null) return Promise.resolve({ ...progress, cursor: following });
          const expires_at = new Date(clock.now().getTime() + archiveDays * DAY_MS);
          return Promise.resolve({ ...progress, step: next, expires_at });
        }),
    });
  };
}

function aboutOf({ organization_id, organization_name, created_at }: OrganizationEndingRow): string {
  return [
    `The organization ${organization_name} (${organization_id}), which was deleted from Hatif at ${isoTime(created_at)}.`,
    'data/ has the rows of the database as JSON, without secrets. recordings/, documents/, cdr/ and audio/ have files.',
    'report.json counts what was found. checksums.json has the SHA-256 of each file.',
    '',
  ].join('\n');
}
