import type { OpenAiVoiceOptions } from '../../../adapters/speech/index.js';
import type { Settings } from '../../../config/settings.js';

/** The voice of an HTTP service, if the settings name one. */
export function openaiVoice(settings: Settings): OpenAiVoiceOptions | undefined {
  const { TTS_URL, TTS_API_KEY, TTS_MODEL, TTS_VOICE_AR, TTS_VOICE_EN } = settings;
  if (TTS_URL === undefined) return undefined;
  return { baseUrl: TTS_URL, apiKey: TTS_API_KEY, model: TTS_MODEL, voices: { ar: TTS_VOICE_AR, en: TTS_VOICE_EN } };
}
