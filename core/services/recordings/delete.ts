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
  /** False where a storage is away: the audio goes when it is back. */
  readonly audioGone: boolean;
}

const HELD = {
  en: 'deleting a recording that is under legal hold, which only the operator ends',
  ar: 'حذف تسجيل محفوظ بأمر قانوني لا يرفعه إلا المشغّل',
};
const CONFERENCE_NOT_OVER = {
  path: 'conference_id',
  message: 'The recording is not over yet; delete it once conference.recording_ready was sent.',
  message_ar: 'لم ينتهِ التسجيل بعد؛ احذفه بعد إرسال الحدث `conference.recording_ready`.',
};
const NOT_OVER = {
  path: 'call_id',
  message: 'The call or its recording is not over yet; delete the recording once call.recording_ready was sent.',
  message_ar: 'لم تنتهِ المكالمة أو تسجيلها بعد؛ احذف التسجيل بعد إرسال الحدث `call.recording_ready`.',
};

/** Deletes recordings on demand: nobody reaches them once this is said, and their audio goes from its storage. */
export class DeleteRecordings {
  constructor(private readonly options: DeleteRecordingsOptions) {}

  /**
   * Delete the named recording of a call, or all it has; all of them or none.
   * @throws HatifError CALL_NOT_FOUND, RECORDING_NOT_FOUND, CALL_NOT_CONTROLLABLE (the call is not over, or the audio on its way),
   *   INSUFFICIENT_PERMISSIONS (legal hold).
   */
  async ofCall(scope: CallScope, callId: string, recordingId: string | null, audit?: AuditOf): Promise<Deletion> {
    const { calls, recordings } = this.options;
    return this.#delete(recordingId, audit, async () => {
      const call = await findCall(calls, scope, callId);
      return {
        rows: await recordings.ofCall(callId),
        notOver: isFinal(call.status) ? null : NOT_OVER,
        coming: NOT_OVER,
        none: new HatifError('RECORDING_NOT_FOUND', { call_id: callId }),
      };
    });
  }

  /**
   * Delete the named recording of a conference, or all it has; all of them or none. Others of it may go on.
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
      return { rows, notOver: null, coming: CONFERENCE_NOT_OVER, none: conferenceNotRecorded(conferenceId) };
    });
  }

  async #delete(recordingId: string | null, audit: AuditOf | undefined, read: () => Promise<Found>): Promise<Deletion> {
    const { recordings, removal } = this.options;
    for (;;) {
      const { rows, notOver, coming, none } = await read();
      const chosen = rows.filter(({ id }) => recordingId === null || id === recordingId);
      const available = chosen.filter(({ status }) => status === 'available');
      const isComing = chosen.some(({ status }) => ['recording', 'paused', 'stopped'].includes(status));
      if (available.length === 0 && !isComing) throw none;
      const problem = isComing ? coming : notOver;
      if (problem) throw new HatifError('CALL_NOT_CONTROLLABLE', {}, { details: [problem] });
      if (available.some((row) => row.legal_hold)) {
        throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: HELD });
      }
      const deleted = await recordings.delete(
        available.map(({ id }) => id),
        audit,
      );
      // Else somebody was quicker, with a deletion or a hold: what is left answers for itself.
      if (deleted) return { rows: deleted.rows, audioGone: await removal.remove(deleted.removals) };
    }
  }
}

interface Found {
  readonly rows: readonly RecordingRow[];
  /** Why none can be deleted yet. */
  readonly notOver: typeof NOT_OVER | null;
  /** Why one that is not kept yet cannot be deleted. */
  readonly coming: typeof NOT_OVER;
  readonly none: HatifError;
}
