/** What callers hear first. Audio by an address, or spoken at the phone, is kept as a copy of the box's own. */
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

/** The box of a number. */
export interface VoicemailBoxRow {
  readonly number_id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly enabled: boolean;
  /** Null: the platform's own, in both languages. */
  readonly greeting: GreetingRow | null;
  readonly max_seconds: number;
  readonly transcribe: boolean;
  readonly notify_email: string | null;
  /** Whether mails bring the audio along. */
  readonly notify_audio: boolean;
  /** Keyed hash; null: the box cannot be heard by phone. */
  readonly pin_hash: string | null;
  /** Wrong ones since the last right one, or since the lock ended. */
  readonly pin_failures: number;
  readonly pin_locked_until: Date | null;
  readonly changed_at: Date;
}

/** A message. Its audio is the recording of the same id, with which it is deleted. */
export interface VoicemailRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly box_id: string;
  readonly call_id: string;
  readonly sandbox: boolean;
  /** Of the box, as it was then. */
  readonly number: string;
  readonly from_number: string;
  readonly duration_ms: number;
  readonly transcription_status: 'pending' | 'completed' | 'failed' | 'disabled';
  readonly transcription_text: string | null;
  readonly listened_at: Date | null;
  readonly mail_to: string | null;
  /** When it is to be mailed; null: it needs not, or was. */
  readonly mail_due_at: Date | null;
  readonly mail_attempts: number;
  readonly created_at: Date;
}
