import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { Conferences } from '../../data/repositories/calls/conferences.js';
import type { AuditOf, Recordings } from '../../data/repositories/calls/recordings.js';
import type { RecordingRow } from '../../data/rows.js';
import { isFinal } from '../../model/call/call.js';
import { HatifError } from '../../model/errors/index.js';
import { findCall, type CallFinder } from '../calls/find-call.js';
import { conferenceNotFound, conferenceNotRecorded } from './conference-error.js';
import type { RecordingRemoval } from './removal.js';

export interface DeleteRecordingsOptions {
  readonly calls: CallFinder;
  readonly conferences: Pick<Conferences, 'get'>;
  readonly recordings: Recordings;
  readonly removal: RecordingRemoval;
}

export interface Deletion {
  readonly rows: readonly RecordingRow[];
  /** False if a storage is unavailable: the sweep removes the audio later. */
  readonly isAudioRemoved: boolean;
}

const LEGAL_HOLD = {
  en: 'deleting a recording under legal hold, which only the operator can release',
  ar: 'حذف تسجيل محفوظ بأمر قانوني لا يرفعه إلا المشغّل',
};
const CONFERENCE_IN_PROGRESS = {
  path: 'conference_id',
  message: 'The recording is still in progress; delete it after the event conference.recording_ready.',
  message_ar: 'لم ينتهِ التسجيل بعد؛ احذفه بعد إرسال الحدث `conference.recording_ready`.',
};
const CALL_IN_PROGRESS = {
  path: 'call_id',
  message: 'The call or its recording is still in progress; delete the recording after the event call.recording_ready.',
  message_ar: 'لم تنتهِ المكالمة أو تسجيلها بعد؛ احذف التسجيل بعد إرسال الحدث `call.recording_ready`.',
};

/**
 * Deletes recordings on request: they are inaccessible as soon as the deletion returns, and their audio is removed from
 * its storage.
 */
export class DeleteRecordings {
  constructor(private readonly options: DeleteRecordingsOptions) {}

  /**
   * Deletes one recording of a call, or all of them; deletes either all of the selected recordings or none.
   * @throws HatifError CALL_NOT_FOUND, RECORDING_NOT_FOUND, CALL_NOT_CONTROLLABLE (the call is in progress, or the
   * audio has not been stored yet), INSUFFICIENT_PERMISSIONS (legal hold).
   */
  async ofCall(scope: CallScope, callId: string, recordingId: string | null, audit?: AuditOf): Promise<Deletion> {
    const { calls, recordings } = this.options;
    return this.#delete(recordingId, audit, async () => {
      const call = await findCall(calls, scope, callId);
      return {
        rows: await recordings.ofCall(callId),
        inProgress: isFinal(call.status) ? null : CALL_IN_PROGRESS,
        pending: CALL_IN_PROGRESS,
        none: new HatifError('RECORDING_NOT_FOUND', { call_id: callId }),
      };
    });
  }

  /**
   * Deletes one recording of a conference, or all of them; deletes either all of the selected recordings or none. Other
   * recordings of the conference may still be running.
   * @throws HatifError CONFERENCE_NOT_FOUND, and as {@link ofCall} does
   */
  async ofConference(
    scope: CallScope,
    conferenceId: string,
    recordingId: string | null,
    audit?: AuditOf,
  ): Promise<Deletion> {
    const { conferences, recordings } = this.options;
    return this.#delete(recordingId, audit, async () => {
      if (!(await conferences.get(scope, conferenceId))) throw conferenceNotFound(conferenceId);
      const rows = await recordings.ofConference(conferenceId);
      return { rows, inProgress: null, pending: CONFERENCE_IN_PROGRESS, none: conferenceNotRecorded(conferenceId) };
    });
  }

  async #delete(
    recordingId: string | null,
    audit: AuditOf | undefined,
    read: () => Promise<Selection>,
  ): Promise<Deletion> {
    const { recordings, removal } = this.options;
    for (;;) {
      const { rows, inProgress, pending, none } = await read();
      const chosen = rows.filter(({ id }) => recordingId === null || id === recordingId);
      const available = chosen.filter(({ status }) => status === 'available');
      const isPending = chosen.some(({ status }) => ['recording', 'paused', 'stopped'].includes(status));
      if (available.length === 0 && !isPending) throw none;
      const problem = isPending ? pending : inProgress;
      if (problem) throw new HatifError('CALL_NOT_CONTROLLABLE', {}, { details: [problem] });
      if (available.some((row) => row.legal_hold)) {
        throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: LEGAL_HOLD });
      }
      const deleted = await recordings.delete(
        available.map(({ id }) => id),
        audit,
      );
      // Otherwise a concurrent deletion or hold changed the rows: read them again.
      if (deleted) return { rows: deleted.rows, isAudioRemoved: await removal.remove(deleted.removals) };
    }
  }
}

interface Selection {
  readonly rows: readonly RecordingRow[];
  /** Set if the call is in progress: the error detail for all of its recordings. */
  readonly inProgress: typeof CALL_IN_PROGRESS | null;
  /** The error detail for a recording whose audio has not been stored yet. */
  readonly pending: typeof CALL_IN_PROGRESS;
  readonly none: HatifError;
}
