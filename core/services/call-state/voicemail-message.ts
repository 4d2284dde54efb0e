import type { NumberedBox } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { CallRow, RecordingRow, VoicemailRow } from '../../data/rows.js';

/** Returns the row of the message that this call's customer left in the box. The message has the recording's id. */
export function newMessage(call: CallRow, recording: RecordingRow, box: NumberedBox, at: Date): VoicemailRow {
  return {
    id: recording.id,
    organization_id: call.organization_id,
    project_id: call.project_id,
    box_id: box.number_id,
    call_id: call.id,
    sandbox: call.sandbox,
    number: box.e164,
    from_number: call.customer_number,
    duration_ms: recording.duration_ms ?? 0,
    transcription_status: box.transcribe ? 'pending' : 'disabled',
    transcription_text: null,
    listened_at: null,
    mail_to: box.notify_email,
    mail_due_at: box.notify_email === null ? null : at,
    mail_attempts: 0,
    created_at: recording.started_at,
  };
}
