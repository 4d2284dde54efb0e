/** A box's greeting. Audio from a URL, or recorded by phone, is stored as the box's own copy. */
export type GreetingRow =
  | { readonly type: 'text'; readonly text: string; readonly language: 'ar' | 'en' }
  | { readonly type: 'audio'; readonly audio_id: string; readonly language: 'ar' | 'en' | null }
  /** @property url null: recorded by phone */
  | {
      readonly type: 'copy';
      readonly media_id: string;
      readonly url: string | null;
      readonly language: 'ar' | 'en' | null;
    };

/** The person who hears of new messages of a box, and how. */
export interface NotifyMessage {
  readonly channel: 'sms' | 'chatapp';
  /** E.164. */
  readonly to: string;
  readonly language: 'ar' | 'en';
  /** Its name; null: a text. */
  readonly template: string | null;
  /** Messages before this time (ISO 8601) are not announced. */
  readonly since: string;
}

/** The voicemail box of a number. */
export interface VoicemailBoxRow {
  readonly number_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly enabled: boolean;
  /** Null: the platform's default greeting, in both languages. */
  readonly greeting: GreetingRow | null;
  readonly max_seconds: number;
  readonly transcribe: boolean;
  readonly notify_email: string | null;
  /** Whether mails include the audio. */
  readonly notify_audio: boolean;
  readonly notify_message: NotifyMessage | null;
  /** Keyed hash; null: no phone access. */
  readonly pin_hash: string | null;
  /** Wrong PINs since the last correct one, or since the lock ended. */
  readonly pin_failures: number;
  readonly pin_locked_until: Date | null;
  readonly changed_at: Date;
}

/** A voicemail message. Its audio is the recording with the same id; both are deleted together. */
export interface VoicemailRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly box_id: string;
  readonly call_id: string;
  readonly sandbox: boolean;
  /** The box's number at that time. */
  readonly number: string;
  readonly from_number: string;
  readonly duration_ms: number;
  readonly transcription_status: 'pending' | 'completed' | 'failed' | 'disabled';
  readonly transcription_text: string | null;
  readonly listened_at: Date | null;
  readonly mail_to: string | null;
  /** When it is due to be mailed; null if not requested or already done. */
  readonly mail_due_at: Date | null;
  readonly mail_attempts: number;
  readonly created_at: Date;
}
