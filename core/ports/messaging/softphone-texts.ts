import type { SoftphoneText, TextResult } from '../../model/messaging/softphone-text.js';

/**
 * The outcome of a text, as far as it is certain.
 *
 * - `away`: nobody could send it; nothing was sent
 * - `unknown`: it may have been sent, and no answer was seen. It must not be sent again.
 */
export type TextOutcome = TextResult | { readonly result: 'away' | 'unknown' };

/** Reaches softphones, wherever they are registered. */
export interface SoftphoneTexts {
  /** Sends a text once. Resolves within a minute, and never rejects but while the database is unavailable. */
  send(text: SoftphoneText): Promise<TextOutcome>;
}
