import type { Queryable } from '../../data/database.js';
import { removeRecordings, type Removal } from '../../data/repositories/calls/recordings.js';
import {
  foundRecordings,
  lockErasable,
  type FoundRecording,
} from '../../data/repositories/privacy/person-recordings.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import { withCounts, type Kept, type Report } from '../../model/privacy/report.js';
import type { Clock } from '../../ports/clock.js';
import { auditRow } from '../recordings/audit.js';
import type { RecordingRemoval } from '../recordings/removal.js';
import type { Step } from '../resumable-work/work.js';
import type { SubjectOf } from './find.js';
import { numberOf } from './sources.js';

export interface EraseRecordingsOptions {
  readonly removal: RecordingRemoval;
  readonly subjectOf: SubjectOf;
  readonly clock: Clock;
}

const PAGE = 50;

/** Deletes the recordings in which the person was heard, with messages and transcripts. */
export function eraseRecordings(options: EraseRecordingsOptions, next: string): Step<PrivacyJobRow> {
  const { removal, subjectOf, clock } = options;
  return async (work) => {
    let removals: readonly Removal[] = [];
    await work.advance(async (tx) => {
      const { row } = work;
      const found = await foundRecordings(tx, row.id, row.cursor as string | null, numberOf(subjectOf(row)), PAGE);
      const erased = await eraseFound(tx, found, row, clock.now());
      removals = erased.removals;
      const { report } = erased;
      return found.length < PAGE ? { report, step: next } : { report, cursor: found.at(-1)?.id };
    });
    // What fails because a storage is away is left to the sweep of recordings.
    await removal.remove(removals);
  };
}

async function eraseFound(
  tx: Queryable,
  found: readonly FoundRecording[],
  { id: jobId, report }: PrivacyJobRow,
  now: Date,
): Promise<{ readonly removals: readonly Removal[]; readonly report: Report }> {
  const own = found.filter(({ status, is_other }) => status === 'available' && !is_other);
  const { rows, voicemails, transcripts } = await lockErasable(
    tx,
    own.map(({ id }) => id),
  );
  const action = { method: 'DELETE', route: 'privacy erasure', status: 204 };
  const { removals } = await removeRecordings(tx, rows, (row) => auditRow(row, now, action, { erasure_id: jobId }));
  const kept: Kept[] = [
    { reason: 'legal_hold', count: own.filter(({ legal_hold }) => legal_hold).length, until: null },
    { reason: 'other_person', count: found.filter(isOthers).length, until: null },
  ];
  const audible = found.filter(({ status }) => status === 'available').length;
  const counts = {
    recordings: { found: audible, erased: rows.length, kept },
    voicemails: { found: voicemails, erased: voicemails },
    transcripts: { found: transcripts, erased: transcripts },
  };
  return {
    removals,
    report: Object.entries(counts).reduce((all, [category, found]) => withCounts(all, category, found), report),
  };
}

function isOthers({ status, is_other }: FoundRecording): boolean {
  return status === 'available' && is_other;
}
