import type { Database } from '../../data/database.js';
import { FINDINGS, type Finding } from '../../data/repositories/privacy/findings.js';
import { foundCalls } from '../../data/repositories/privacy/found-calls.js';
import { MEMBER_TABLES, memberRows } from '../../data/repositories/privacy/member-data.js';
import { wholeCalls } from '../../data/repositories/privacy/person-calls.js';
import { foundRecordings } from '../../data/repositories/privacy/person-recordings.js';
import { searchRows } from '../../data/repositories/privacy/person-rows.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import type { Subject } from '../../model/privacy/subject.js';
import { rowsSource, type ArchiveSource } from '../archives/members.js';
import { shownCall } from './shown-call.js';

const CALLS = 200;
const RECORDINGS = 100;
const MEMBER_ROWS = 1_000;
/** Rows of all organizations that are looked at in one statement. */
export const SEARCHED_ROWS = 5_000;

/** The person's number, if the request names it. */
export function numberOf({ type, value }: Subject): string | null {
  return type === 'phone' ? value : null;
}

/** The tables that may hold something of a person who is named like this. */
export function findingsOf({ type }: Subject): readonly Finding[] {
  return FINDINGS.filter(({ types }) => types.includes(type));
}

/** Everything that the archive of a person has, in its order. */
export function personSources(db: Database, job: PrivacyJobRow, subject: Subject): readonly ArchiveSource[] {
  if (subject.type === 'user') return memberSources(db, job, subject.value);
  const number = numberOf(subject);
  return [
    rowsSource('calls', async (after) => {
      const found = await foundCalls(db, job.id, after, CALLS);
      const rows = (await wholeCalls(db, found)).map((call) => shownCall(call, number));
      return { rows, after: found.length === CALLS ? (found.at(-1)?.call_id ?? null) : null };
    }),
    recordingsSource(db, job.id, number),
    ...findingsOf(subject).map((finding) =>
      rowsSource(finding.category, async (after) => {
        const page = await searchRows(db, finding, job, subject, after, SEARCHED_ROWS);
        return { rows: page.rows.map(({ shown }) => shown), after: page.after };
      }),
    ),
  ];
}

/** Each recording in which the person was heard, as a file. */
function recordingsSource(db: Database, jobId: string, number: string | null): ArchiveSource {
  return {
    async *members(position) {
      let after = position;
      for (;;) {
        const found = await foundRecordings(db, jobId, after, number, RECORDINGS);
        for (const { id, status, storage, storage_key: key, is_other } of found) {
          if (status !== 'available' || storage === null || key === null || is_other) continue;
          yield {
            position: id,
            name: `recordings/${id}.wav`,
            content: { storage, key },
            category: 'recordings',
            count: 1,
          };
        }
        after = found.at(-1)?.id ?? null;
        if (found.length < RECORDINGS) return;
      }
    },
  };
}

function memberSources(db: Database, job: PrivacyJobRow, userId: string): readonly ArchiveSource[] {
  return MEMBER_TABLES.map((table) =>
    rowsSource(table.category, async (after) => {
      const rows = await memberRows(db, table, job.organization_id, userId, after, MEMBER_ROWS);
      return {
        rows: rows.map(({ shown }) => shown),
        after: rows.length === MEMBER_ROWS ? (rows.at(-1)?.key ?? null) : null,
      };
    }),
  );
}
