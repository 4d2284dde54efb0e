import type { ErrorCode } from '../errors/index.js';

/** Channels that reach a person by the number that a message has. `voice`: a call that speaks the text. */
export const FALLBACK_CHANNELS = ['chatapp', 'sms', 'voice'] as const;
export type FallbackChannel = (typeof FALLBACK_CHANNELS)[number];

/** What happens if a message does not arrive, and the result of that. */
export interface StoredFallback {
  /** Those that are left, in their order. */
  readonly channels: readonly FallbackChannel[];
  /** After this time without a delivery the next one is tried; null: only if the message fails. */
  readonly after_seconds: number | null;
  /** The message that took over. */
  readonly message_id: string | null;
  /** Whether a call took over. */
  readonly is_called: boolean;
  /** Why a channel was passed over, the last one. */
  readonly error_code: ErrorCode | null;
}

/** The language in which a text is spoken. */
export function spokenLanguageOf(text: string): 'ar' | 'en' {
  return /\p{Script=Arabic}/u.test(text) ? 'ar' : 'en';
}
