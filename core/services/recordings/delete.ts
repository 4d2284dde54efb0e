import type { CallScope } from '../../data/repositories/calls.js';
import type { AuditOf, Recordings } from '../../data/repositories/recordings.js';
import type { RecordingRow } from '../../data/rows.js';
import { isFinal } from '../../model/call.js';
import { HatifError } from '../../model/errors/index.js';
import { findCall, type CallFinder } from '../calls/find-call.js';
import type { RecordingRemoval } from './removal.js';

export interface DeleteRecordingsOptions {
  readonly calls: CallFinder;
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
const NOT_OVER = {
  path: 'call_id',
  message: 'The call or its recording is not over yet; delete the recording once call.recording_ready was sent.',
  message_ar: 'لم تنتهِ المكالمة أو تسجيلها بعد؛ احذف التسجيل بعد إرسال الحدث call.recording_ready.',
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
    const { calls, recordings, removal } = this.options;
    const call = await findCall(calls, scope, callId);
    const all = await recordings.ofCall(callId);
    const chosen = all.filter(({ id }) => recordingId === null || id === recordingId);
    const available = chosen.filter(({ status }) => status === 'available');
    const coming = chosen.some(({ status }) => ['recording', 'paused', 'stopped'].includes(status));
    if (available.length === 0 && !coming) throw new HatifError('RECORDING_NOT_FOUND', { call_id: callId });
    if (coming || !isFinal(call.status)) throw new HatifError('CALL_NOT_CONTROLLABLE', {}, { details: [NOT_OVER] });
    if (available.some((row) => row.legal_hold)) throw new HatifError('INSUFFICIENT_PERMISSIONS', { permission: HELD });
    const ids = available.map(({ id }) => id);
    const deleted = await recordings.delete(callId, ids, audit);
    // Somebody else was quicker, with a deletion or a hold: what is left answers for itself.
    if (!deleted) return this.ofCall(scope, callId, recordingId, audit);
    return { rows: deleted.rows, audioGone: await removal.remove(deleted.removals) };
  }
}
