import type { TranscriptObject, TranscriptSummary } from '../../model/objects/transcript.js';
import { textOf } from '../../data/repositories/calls/transcripts.js';
import type { TranscriptRow } from '../../data/rows.js';
import { isoTime } from '../../model/time.js';

export function transcriptFacts(row: TranscriptRow): TranscriptSummary {
  return {
    recording_id: row.recording_id,
    status: row.status,
    language: row.language,
    confidence: rounded(row.confidence),
    engine: row.engine,
    created_at: isoTime(row.created_at),
    finished_at: isoTime(row.finished_at),
  };
}

export function presentTranscript(row: TranscriptRow): TranscriptObject {
  const { recording_id, ...facts } = transcriptFacts(row);
  return {
    recording_id,
    call_id: row.call_id,
    ...facts,
    text: row.turns && textOf(row.turns),
    turns:
      row.turns?.map(({ speaker, startMs, endMs, text, confidence }) => ({
        speaker,
        start_seconds: startMs / 1000,
        end_seconds: endMs / 1000,
        text,
        confidence: rounded(confidence),
      })) ?? null,
  };
}

/** The response for a recording that was not to be transcribed. */
export function noTranscript(callId: string, recordingId: string): TranscriptObject {
  return {
    recording_id: recordingId,
    call_id: callId,
    status: 'disabled',
    language: null,
    confidence: null,
    engine: null,
    created_at: null,
    finished_at: null,
    text: null,
    turns: null,
  };
}

function rounded(confidence: number | null): number | null {
  return confidence === null ? null : Math.round(confidence * 1000) / 1000;
}
