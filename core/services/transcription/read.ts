import type { TranscriptObject } from '../../model/objects/transcript.js';
import type { CallScope } from '../../data/repositories/calls/calls.js';
import type { Recordings } from '../../data/repositories/calls/recordings.js';
import type { Transcripts } from '../../data/repositories/calls/transcripts.js';
import { HatifError } from '../../model/errors/index.js';
import { findCall, type CallFinder } from '../calls/find-call.js';
import { noTranscript, presentTranscript } from './present.js';

export interface ReadTranscriptsOptions {
  readonly calls: CallFinder;
  readonly recordings: Pick<Recordings, 'ofCall'>;
  readonly transcripts: Pick<Transcripts, 'ofCall'>;
}

/** What was said in calls, as the API shows it. */
export class ReadTranscripts {
  constructor(private readonly options: ReadTranscriptsOptions) {}

  /**
   * Of the named recording of a call, or of its newest that has or waits for one.
   * @throws HatifError CALL_NOT_FOUND, RECORDING_NOT_FOUND
   */
  async get(scope: CallScope, callId: string, recordingId: string | null): Promise<TranscriptObject> {
    const { calls, recordings, transcripts } = this.options;
    await findCall(calls, scope, callId);
    const rows = await transcripts.ofCall(callId);
    const row = rows.findLast((one) => recordingId === null || one.recording_id === recordingId);
    if (row) return presentTranscript(row);
    const kept = (await recordings.ofCall(callId)).filter(({ status }) => status === 'available');
    const recording = kept.findLast(({ id }) => recordingId === null || id === recordingId);
    if (!recording) throw new HatifError('RECORDING_NOT_FOUND', { call_id: callId });
    return noTranscript(callId, recording.id);
  }
}
