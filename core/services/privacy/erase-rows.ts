import type { Database } from '../../data/database.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import { FINDINGS, type Finding } from '../../data/repositories/privacy/findings.js';
import { eraseRows, searchRows } from '../../data/repositories/privacy/person-rows.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import { withCounts, type Report } from '../../model/privacy/report.js';
import type { ReleaseVirtualNumber } from '../virtual-numbers/release.js';
import { Later, type Step } from '../resumable-work/work.js';
import type { SubjectOf } from './find.js';
import { findingsOf, SEARCHED_ROWS } from './sources.js';

/** Where the search through the tables is. */
interface RowsCursor {
  readonly finding: number;
  readonly after: string | null;
}

const BEGINNING: RowsCursor = { finding: 0, after: null };
const IN_USE_SECONDS = 60;
const VIRTUAL_NUMBERS = 'virtual_numbers';

export interface ReleaseOptions {
  readonly db: Database;
  readonly virtualNumbers: Pick<VirtualNumbers, 'find'>;
  readonly release: ReleaseVirtualNumber;
  readonly subjectOf: SubjectOf;
}

/** Releases the virtual numbers that the person has. */
export function releaseVirtualNumbers(options: ReleaseOptions, next: string): Step<PrivacyJobRow> {
  const { db, virtualNumbers, release, subjectOf } = options;
  const finding = FINDINGS.find(({ table }) => table === VIRTUAL_NUMBERS);
  return async (work) => {
    const { row } = work;
    const subject = subjectOf(row);
    const isSought = finding?.types.includes(subject.type) === true;
    const after = row.cursor as string | null;
    const page = isSought ? await searchRows(db, finding, row, subject, after, SEARCHED_ROWS) : null;
    for (const { key } of page?.rows.filter(({ waits }) => waits) ?? []) {
      const assigned = await virtualNumbers.find(key);
      if (assigned) await release.release(assigned, 'its end user was erased');
    }
    const cursor = page?.after ?? null;
    await work.advance(() => Promise.resolve(cursor === null ? { step: next } : { cursor }));
  };
}

/** Erases the person from all other tables, page by page. */
export function eraseFindings(subjectOf: SubjectOf, next: string): Step<PrivacyJobRow> {
  return (work) =>
    work.advance(async (tx) => {
      const { row } = work;
      const subject = subjectOf(row);
      const findings = findingsOf(subject);
      const { finding: index, after } = (row.cursor as RowsCursor | null) ?? BEGINNING;
      const finding = findings[index];
      if (!finding) return { step: next };
      const page = await searchRows(tx, finding, row, subject, after, SEARCHED_ROWS);
      if (page.rows.some(({ waits }) => waits)) throw new Later(IN_USE_SECONDS, finding.table);
      await eraseRows(
        tx,
        finding,
        page.rows.map(({ key }) => key),
      );
      const report = countedRows(row.report, finding, page.rows.length);
      const isLast = page.after === null && index === findings.length - 1;
      if (isLast) return { report, step: next };
      const cursor: RowsCursor =
        page.after === null ? { finding: index + 1, after: null } : { finding: index, after: page.after };
      return { report, cursor };
    });
}

function countedRows(report: Report, { category, erase }: Finding, found: number): Report {
  return withCounts(report, category, {
    found,
    erased: erase.how === 'erased' ? found : 0,
    anonymised: erase.how === 'anonymised' ? found : 0,
    kept: erase.kept === null ? [] : [{ reason: erase.kept, count: found, until: null }],
  });
}
