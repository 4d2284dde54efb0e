import {
  hasUnfinished,
  projectAfter,
  searchCalls,
  type SearchPosition,
} from '../../data/repositories/privacy/found-calls.js';
import type { Database } from '../../data/database.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import { FIRST_ID } from '../../data/repositories/maintenance/retention.js';
import { withCounts } from '../../model/privacy/report.js';
import type { Subject } from '../../model/privacy/subject.js';
import { Later, type Step } from '../resumable-work/work.js';

export type SubjectOf = (row: PrivacyJobRow) => Subject;

/** Calls that are looked at in one statement. */
const PAGE = 5_000;
const LIVE_SECONDS = 60;

const firstOf = (projectId: string): SearchPosition => ({ projectId, createdAt: '-infinity', id: FIRST_ID });

/** Looks through the calls of all projects, page by page, and remembers those of the person. */
export function findCalls(subjectOf: SubjectOf, next: (row: PrivacyJobRow) => string): Step<PrivacyJobRow> {
  return (work) =>
    work.advance(async (tx) => {
      const { row } = work;
      const { organization_id: organization, report } = row;
      const cursor = row.cursor as SearchPosition | null;
      const project = cursor?.projectId ?? (await projectAfter(tx, organization, null));
      if (project === null) return { step: next(row) };
      const page = await searchCalls(tx, row, subjectOf(row), cursor ?? firstOf(project), PAGE);
      // The archive counts what it has.
      const counted = row.kind === 'erasure' ? withCounts(report, 'calls', { found: page.found }) : report;
      if (page.seen === PAGE && page.last) return { report: counted, cursor: page.last };
      const following = await projectAfter(tx, organization, project);
      return following === null
        ? { report: counted, step: next(row) }
        : { report: counted, cursor: firstOf(following) };
    });
}

/** Waits until the calls that were found are over, and their recordings are stored. */
export function awaitEnd(db: Database, next: string): Step<PrivacyJobRow> {
  return async (work) => {
    if (await hasUnfinished(db, work.row.id)) throw new Later(LIVE_SECONDS, 'live_calls');
    await work.advance(() => Promise.resolve({ step: next }));
  };
}
