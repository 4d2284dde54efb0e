import type { SpeechLanguage } from '../../core/ports/speech.js';

/** A speech synthesizer. */
export interface Voice {
  /** Shown in the log. */
  readonly name: string;
  readonly languages: ReadonlySet<SpeechLanguage>;
  /** Everything but the text that affects the audio. */
  identity(language: SpeechLanguage): readonly (string | number)[];
  /** @returns a WAV or MP3 file. @throws Error */
  speak(text: string, language: SpeechLanguage): Promise<Uint8Array>;
  close(): Promise<void>;
}
