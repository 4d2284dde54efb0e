import type { NumberedBox } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { NumberRow } from '../../data/rows.js';
import { DEFAULT_MESSAGE_SECONDS } from '../../model/voicemail.js';

/** The default box of a number whose box was never configured. */
export function defaultBox({ id, organization_id, project_id, e164, sandbox, created_at }: NumberRow): NumberedBox {
  return {
    number_id: id,
    e164,
    sandbox,
    organization_id,
    project_id,
    enabled: false,
    greeting: null,
    max_seconds: DEFAULT_MESSAGE_SECONDS,
    transcribe: false,
    notify_email: null,
    notify_audio: true,
    notify_message: null,
    pin_hash: null,
    pin_failures: 0,
    pin_locked_until: null,
    changed_at: created_at,
  };
}
