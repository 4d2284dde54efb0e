import type { VoicemailRow } from '../../../data/rows.js';
import { isoTime } from '../../../model/time.js';

/** A message as the API and its webhooks show it: with the caller's whole number, since somebody must call back. */
export interface VoicemailObject {
  readonly id: string;
  readonly call_id: string;
  readonly number: string;
  readonly from: string;
  readonly duration_seconds: number;
  readonly recording_available: boolean;
  readonly transcription_status: VoicemailRow['transcription_status'];
  readonly transcription_text: string | null;
  readonly listened_at: string | null;
  readonly created_at: string;
}

export function presentVoicemail(row: VoicemailRow, recordingAvailable: boolean): VoicemailObject {
  return {
    id: row.id,
    call_id: row.call_id,
    number: row.number,
    from: row.from_number,
    duration_seconds: Math.max(1, Math.round(row.duration_ms / 1000)),
    recording_available: recordingAvailable,
    transcription_status: row.transcription_status,
    transcription_text: row.transcription_text,
    listened_at: isoTime(row.listened_at),
    created_at: isoTime(row.created_at),
  };
}
