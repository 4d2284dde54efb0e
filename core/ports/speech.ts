import type { SpokenLanguage } from '../model/spoken/index.js';

export type SpeechLanguage = SpokenLanguage;

/** Text to speech. The same text, language and voice give the same file, synthesized once. */
export interface Speech {
  /** Languages that this voice speaks; empty if no voice is installed. */
  readonly languages: ReadonlySet<SpeechLanguage>;
  /**
   * Speaks `text` (up to 4,000 characters) into a file that engines can play.
   * @returns the absolute path without extension (see `MediaItem` of the engine port).
   * @throws SpeechError if the voice is missing or fails.
   */
  synthesize(text: string, language: SpeechLanguage): Promise<string>;
}

export class SpeechError extends Error {
  override readonly name = 'SpeechError';
}
