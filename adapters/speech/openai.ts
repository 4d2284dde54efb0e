import type { SpeechLanguage } from '../../core/ports/speech.js';
import { Upstream } from '../http/upstream.js';
import type { Voice } from './voice.js';

export interface OpenAiVoiceOptions {
  /** For example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** The server's voice name for each language. */
  readonly voices: Readonly<Record<SpeechLanguage, string>>;
  /** Default 10 s: a caller may be waiting, and there is a fallback voice. */
  readonly timeoutMs?: number;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** A voice behind OpenAI's speech API (`POST /audio/speech`), which many servers implement. */
export class OpenAiVoice implements Voice {
  readonly name = 'openai';
  readonly languages: ReadonlySet<SpeechLanguage> = new Set(['ar', 'en']);
  readonly #upstream: Upstream;

  constructor(private readonly options: OpenAiVoiceOptions) {
    const { baseUrl, apiKey, timeoutMs = 10_000 } = options;
    this.#upstream = new Upstream({ baseUrl, apiKey, timeoutMs, maxBytes: MAX_OUTPUT_BYTES });
  }

  identity(language: SpeechLanguage): readonly (string | number)[] {
    const { baseUrl, model, voices } = this.options;
    return [this.name, baseUrl, model, voices[language]];
  }

  speak(text: string, language: SpeechLanguage): Promise<Uint8Array> {
    const { model, voices } = this.options;
    const body = JSON.stringify({ model, input: text, voice: voices[language], response_format: 'wav' });
    return this.#upstream.post('/audio/speech', { 'content-type': 'application/json' }, body);
  }

  async close(): Promise<void> {
    await this.#upstream.close();
  }
}
