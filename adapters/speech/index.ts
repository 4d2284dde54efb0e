import { CachedSpeech, NoSpeech, type SpeechOptions } from './cached-speech.js';
import { EspeakVoice } from './espeak.js';
import { OpenAiVoice, type OpenAiVoiceOptions } from './openai.js';
import type { Program } from '../programs/run-program.js';

export { CachedSpeech, MAX_TEXT_LENGTH, NoSpeech } from './cached-speech.js';
export { EspeakVoice } from './espeak.js';
export { OpenAiVoice, type OpenAiVoiceOptions } from './openai.js';
export type { Program } from '../programs/run-program.js';

export interface Voices {
  /** The espeak-ng program; null if it is not installed. */
  readonly espeak: Program | null;
  /** Tried first; espeak-ng is the fallback. */
  readonly openai?: OpenAiVoiceOptions | undefined;
}

/**
 * Opens the configured speech; {@link NoSpeech} if there are no voices.
 * @param dir engines see it at the same path; created if missing, readable by other users
 */
export async function openSpeech(
  { espeak, openai }: Voices,
  dir: string,
  options: SpeechOptions = {},
): Promise<CachedSpeech | NoSpeech> {
  const local = espeak && (await EspeakVoice.find(espeak));
  const voices = [...(openai === undefined ? [] : [new OpenAiVoice(openai)]), ...(local ? [local] : [])];
  return voices.length === 0 ? new NoSpeech() : new CachedSpeech(voices, dir, options);
}
