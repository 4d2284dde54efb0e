import type { Database } from '../../data/database.js';
import type { PrivacyJobs } from '../../data/repositories/privacy/jobs.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import { withAllCounts } from '../../model/privacy/report.js';
import { isoTime } from '../../model/time.js';
import type { Clock } from '../../ports/clock.js';
import { ARCHIVE_START, type ArchiveBuilder, type ArchivePosition } from '../archives/builder.js';
import type { Step } from '../resumable-work/work.js';
import type { SubjectOf } from './find.js';
import { personSources } from './sources.js';

export interface ExportOptions {
  readonly db: Database;
  readonly jobs: PrivacyJobs;
  readonly archives: ArchiveBuilder;
  readonly subjectOf: SubjectOf;
  /** How long an archive can be downloaded. */
  readonly archiveDays: number;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;

/** Writes what was found of a person into an archive. */
export function writeArchive(options: ExportOptions): Step<PrivacyJobRow> {
  const { db, jobs, archives, subjectOf, archiveDays, clock } = options;
  return (work) => {
    const { row } = work;
    return archives.build({
      id: row.id,
      prefix: `privacy/${row.organization_id}/${row.id}`,
      sources: personSources(db, row, subjectOf(row)),
      from: (row.cursor as ArchivePosition | null) ?? ARCHIVE_START,
      parts: row.parts,
      about: aboutOf(row),
      report: (counts) => `${JSON.stringify(withAllCounts(row.report, counts), null, 2)}\n`,
      keepClaim: () => work.keepClaim(),
      onPart: (part, next, counts) =>
        work.advance(async (tx) => {
          const parts = [...work.row.parts, part];
          const report = withAllCounts(work.row.report, counts);
          if (next !== null) return { parts, report, cursor: next };
          await jobs.forgetSubject(tx, row.id);
          const now = clock.now();
          return {
            parts,
            report,
            status: 'completed',
            finished_at: now,
            due_at: null,
            expires_at: new Date(now.getTime() + archiveDays * DAY_MS),
          };
        }),
    });
  };
}

function aboutOf({ id, organization_id, subject_type, created_at }: PrivacyJobRow): string {
  return [
    'Personal data of one person, exported by an organization from Hatif.',
    `Request ${id} of ${isoTime(created_at)}, organization ${organization_id}, person named by: ${subject_type}.`,
    'data/ has the rows of the database as JSON, recordings/ the audio. report.json counts what was found.',
    'Secrets are left out, and numbers of other people are masked. checksums.json has the SHA-256 of each file.',
    '',
    'بيانات شخص واحد صدّرتها إحدى المؤسسات من منصة هاتف.',
    'في المجلد data صفوف قاعدة البيانات بصيغة JSON، وفي المجلد recordings التسجيلات الصوتية، وفي report.json أعداد ما عُثر عليه.',
    'لا يضم الملف أسرارًا، وأرقام الآخرين فيه مخفية جزئيًّا. وفي checksums.json بصمة SHA-256 لكل ملف.',
    '',
  ].join('\n');
}
