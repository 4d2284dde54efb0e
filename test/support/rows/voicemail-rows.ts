import type { RecordingRow, VoicemailBoxRow, VoicemailRow } from '../../../core/data/rows.js';
import type { Ground } from './rows.js';

/** An enabled voicemail box. */
export function boxRow(
  { organizationId, projectId }: Ground,
  numberId: string,
  changes: Partial<VoicemailBoxRow> = {},
): VoicemailBoxRow {
  return {
    number_id: numberId,
    organization_id: organizationId,
    project_id: projectId,
    enabled: true,
    greeting: null,
    max_seconds: 120,
    transcribe: false,
    notify_email: null,
    notify_audio: true,
    notify_message: null,
    pin_hash: null,
    pin_failures: 0,
    pin_locked_until: null,
    changed_at: new Date(),
    ...changes,
  };
}

/** The voicemail message of a recording. */
export function messageRow(
  { id, organization_id, project_id, call_id, started_at }: RecordingRow,
  boxId: string,
  changes: Partial<VoicemailRow> = {},
): VoicemailRow {
  return {
    ...{ id, organization_id, project_id, call_id },
    box_id: boxId,
    sandbox: false,
    number: '+966112223344',
    from_number: '+966501234517',
    duration_ms: 2000,
    transcription_status: 'disabled',
    transcription_text: null,
    listened_at: null,
    mail_to: null,
    mail_due_at: null,
    mail_attempts: 0,
    created_at: started_at,
    ...changes,
  };
}
