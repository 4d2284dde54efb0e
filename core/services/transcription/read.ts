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

/** Reads the transcripts of calls for the API. */
export class ReadTranscripts {
  constructor(private readonly options: ReadTranscriptsOptions) {}

  /**
   * The transcript of a call's recording; by default the newest recording that has or awaits a transcript.
   * @throws HatifError CALL_NOT_FOUND, RECORDING_NOT_FOUND
   */
  async get(scope: CallScope, callId: string, recordingId: string | null): Promise<TranscriptObject> {
    const { calls, recordings, transcripts } = this.options;
    await findCall(calls, scope, callId);
    const rows = await transcripts.ofCall(callId);
    const row = rows.findLast((one) => recordingId === null || one.recording_id === recordingId);
    if (row) return presentTranscript(row);
    const available = (await recordings.ofCall(callId)).filter(({ status }) => status === 'available');
    const recording = available.findLast(({ id }) => recordingId === null || id === recordingId);
    if (!recording) throw new HatifError('RECORDING_NOT_FOUND', { call_id: callId });
    return noTranscript(callId, recording.id);
  }
}
