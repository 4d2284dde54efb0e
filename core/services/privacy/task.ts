import type { Database } from '../../data/database.js';
import type { Members } from '../../data/repositories/accounts/members.js';
import type { VirtualNumbers } from '../../data/repositories/numbers/virtual-numbers.js';
import type { PrivacyJobs } from '../../data/repositories/privacy/jobs.js';
import type { PrivacyJobRow } from '../../data/rows.js';
import type { Cipher } from '../../model/access/cipher.js';
import type { Subject } from '../../model/privacy/subject.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { ObjectStores } from '../../ports/object-store.js';
import type { ArchiveBuilder } from '../archives/builder.js';
import type { RecordingRemoval } from '../recordings/removal.js';
import { WorkTask } from '../resumable-work/task.js';
import type { Step } from '../resumable-work/work.js';
import type { ReleaseVirtualNumber } from '../virtual-numbers/release.js';
import { eraseCalls } from './erase-calls.js';
import { eraseMemberStep } from './erase-member.js';
import { eraseRecordings } from './erase-recordings.js';
import { eraseFindings, releaseVirtualNumbers } from './erase-rows.js';
import { writeArchive } from './export.js';
import { awaitEnd, findCalls } from './find.js';
import { finishErasure } from './finish.js';

export interface PrivacyTaskOptions {
  readonly db: Database;
  readonly jobs: PrivacyJobs;
  readonly members: Members;
  readonly virtualNumbers: Pick<VirtualNumbers, 'find'>;
  readonly release: ReleaseVirtualNumber;
  readonly removal: RecordingRemoval;
  readonly archives: ArchiveBuilder;
  readonly stores: ObjectStores;
  readonly cipher: Cipher;
  readonly announce: () => Promise<void>;
  /** How long an archive can be downloaded. */
  readonly archiveDays: number;
  /** Years for which call detail records must be kept. */
  readonly cdrYears: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** For tests: called when a piece of work is recorded. */
  readonly onPiece?: () => Promise<void> | void;
}

/** Does the exports and erasures that organizations asked for. */
export function privacyTask(options: PrivacyTaskOptions): WorkTask<PrivacyJobRow> {
  const { jobs, stores, clock, log, onPiece } = options;
  return new WorkTask({
    name: 'privacy requests',
    rows: jobs,
    steps: stepsOf(options),
    finalErrors: ['LAST_OWNER'],
    onFailed: (tx, { id }) => jobs.forgetSubject(tx, id),
    ...{ stores, clock, log },
    ...(onPiece && { onPiece }),
  });
}

/** An export finds calls and writes the archive. An erasure erases them, then everything else, and returns when years end. */
function stepsOf(options: PrivacyTaskOptions): Readonly<Record<string, Step<PrivacyJobRow>>> {
  const { db, cipher } = options;
  const subjectOf = ({ id, subject, subject_type: type }: PrivacyJobRow): Subject => {
    if (subject === null) throw new Error(`the person of ${id} is forgotten`);
    return { type, value: cipher.open(subject) };
  };
  const shared = { ...options, subjectOf };
  return {
    find: findCalls(subjectOf, ({ kind }) => (kind === 'export' ? 'archive' : 'wait')),
    archive: writeArchive(shared),
    wait: awaitEnd(db, 'recordings'),
    recordings: eraseRecordings(shared, 'calls'),
    calls: eraseCalls(shared, 'virtual_numbers'),
    virtual_numbers: releaseVirtualNumbers(shared, 'rows'),
    rows: eraseFindings(subjectOf, 'finish'),
    finish: finishErasure(options, 'kept_calls'),
    kept_calls: eraseCalls(shared, 'finish'),
    member: eraseMemberStep(shared),
  };
}
