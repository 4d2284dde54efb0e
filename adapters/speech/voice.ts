import type { SpeechLanguage } from '../../core/ports/speech.js';

/** Something that speaks. */
export interface Voice {
  /** For the log. */
  readonly name: string;
  readonly languages: ReadonlySet<SpeechLanguage>;
  /** All that its sound depends on besides the text. */
  identity(language: SpeechLanguage): readonly (string | number)[];
  /** @returns a wav or mp3. @throws Error when it fails. */
  speak(text: string, language: SpeechLanguage): Promise<Uint8Array>;
  close(): Promise<void>;
}
