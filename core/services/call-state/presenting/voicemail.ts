import type { VoicemailRow } from '../../../data/rows.js';
import type { VoicemailObject } from '../../../model/objects/voicemail.js';
import { isoTime } from '../../../model/time.js';
import { messageSeconds } from '../../../model/voicemail.js';

export function presentVoicemail(row: VoicemailRow, recordingAvailable: boolean): VoicemailObject {
  return {
    id: row.id,
    call_id: row.call_id,
    number: row.number,
    from: row.from_number,
    duration_seconds: messageSeconds(row.duration_ms),
    recording_available: recordingAvailable,
    transcription_status: row.transcription_status,
    transcription_text: row.transcription_text,
    listened_at: isoTime(row.listened_at),
    created_at: isoTime(row.created_at),
  };
}
