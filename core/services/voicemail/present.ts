import type { NumberedBox } from '../../data/repositories/voicemail/voicemail-boxes.js';
import type { GreetingRow, NotifyMessage } from '../../data/rows.js';

export interface GreetingObject {
  readonly text: string | null;
  readonly audio_id: string | null;
  readonly audio_url: string | null;
  readonly language: 'ar' | 'en' | null;
  readonly recorded_by_phone: boolean;
}

/** A number's voicemail box as the API shows it; never contains the PIN. */
export interface VoicemailBoxObject {
  readonly number_id: string;
  readonly number: string;
  readonly enabled: boolean;
  readonly greeting: GreetingObject | null;
  readonly max_seconds: number;
  readonly transcribe: boolean;
  readonly notify_email: string | null;
  readonly notify_audio: boolean;
  readonly notify_message: Omit<NotifyMessage, 'since'> | null;
  readonly has_pin: boolean;
}

export function presentBox(box: NumberedBox): VoicemailBoxObject {
  return {
    number_id: box.number_id,
    number: box.e164,
    enabled: box.enabled,
    greeting: box.greeting && presentGreeting(box.greeting),
    max_seconds: box.max_seconds,
    transcribe: box.transcribe,
    notify_email: box.notify_email,
    notify_audio: box.notify_audio,
    notify_message: box.notify_message && presentNotify(box.notify_message),
    has_pin: box.pin_hash !== null,
  };
}

function presentNotify({ channel, to, language, template }: NotifyMessage): Omit<NotifyMessage, 'since'> {
  return { channel, to, language, template };
}

function presentGreeting(greeting: GreetingRow): GreetingObject {
  return {
    text: greeting.type === 'text' ? greeting.text : null,
    audio_id: greeting.type === 'audio' ? greeting.audio_id : null,
    audio_url: greeting.type === 'copy' ? greeting.url : null,
    language: greeting.language,
    recorded_by_phone: greeting.type === 'copy' && greeting.url === null,
  };
}
