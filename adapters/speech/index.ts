import { CachedSpeech, NoSpeech, type SpeechOptions } from './cached-speech.js';
import { EspeakVoice } from './espeak.js';
import { OpenAiVoice, type OpenAiVoiceOptions } from './openai.js';
import type { Program } from '../programs/run-program.js';

export { CachedSpeech, MAX_TEXT_LENGTH, NoSpeech } from './cached-speech.js';
export { EspeakVoice } from './espeak.js';
export { OpenAiVoice, type OpenAiVoiceOptions } from './openai.js';
export type { Program } from '../programs/run-program.js';

export interface Voices {
  /** espeak-ng and how it is started; null where it is not installed. */
  readonly espeak: Program | null;
  /** Asked first; espeak-ng speaks while it fails. */
  readonly openai?: OpenAiVoiceOptions | undefined;
}

/**
 * The speech of this installation: {@link NoSpeech} where there are no voices.
 * @param dir Engines see it under the same path; made when missing, readable by other users.
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
