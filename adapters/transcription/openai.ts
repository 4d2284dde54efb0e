import { File } from 'node:buffer';
import { FormData } from 'undici';
import { z } from 'zod';
import type { Segment } from '../../core/model/transcript.js';
import {
  TranscriptionError,
  type AudioChunk,
  type Transcriber,
  type Transcription,
} from '../../core/ports/transcription.js';
import { Upstream, UpstreamError } from '../http/upstream.js';
import { wavOf } from '../media/wav.js';
import { languageCode } from './languages.js';

export interface OpenAiTranscriberOptions {
  /** For example `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** Timeout for a piece of up to ten minutes. Default 4 minutes. */
  readonly timeoutMs?: number;
}

const PATH = '/audio/transcriptions';
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Whisper's own thresholds for text that it invented for silence. */
const [NO_SPEECH, UNLIKELY] = [0.6, -1];

const segment = z.object({
  start: z.number(),
  end: z.number(),
  text: z.string(),
  avg_logprob: z.number().nullish(),
  no_speech_prob: z.number().nullish(),
});
const answer = z.object({
  text: z.string(),
  language: z.unknown().optional(),
  segments: z.array(segment).nullish(),
});

/** OpenAI's transcription API, which many Whisper servers implement; the server detects the language. */
export class OpenAiTranscriber implements Transcriber {
  readonly engine: string;
  readonly #upstream: Upstream;
  /** Newer models have no segments and reject requests for them. */
  #form: 'verbose_json' | 'json' = 'verbose_json';

  constructor(private readonly options: OpenAiTranscriberOptions) {
    const { baseUrl, apiKey, model, timeoutMs = 240_000 } = options;
    this.engine = `openai:${model}`;
    this.#upstream = new Upstream({ baseUrl, apiKey, timeoutMs, maxBytes: MAX_ANSWER_BYTES });
  }

  async transcribe(heard: AudioChunk): Promise<Transcription> {
    try {
      return read(await this.#ask(heard), heard);
    } catch (error) {
      if (error instanceof TranscriptionError) throw error;
      const isFinal = error instanceof UpstreamError && error.isRefusal;
      throw new TranscriptionError(error instanceof Error ? error.message : String(error), isFinal, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#upstream.close();
  }

  async #ask(heard: AudioChunk): Promise<Uint8Array> {
    try {
      return await this.#post(heard);
    } catch (error) {
      const isRefused =
        error instanceof UpstreamError && error.status === 400 && error.message.includes('response_format');
      if (this.#form === 'json' || !isRefused) throw error;
      this.#form = 'json';
      return this.#post(heard);
    }
  }

  #post({ samples, sampleRate }: AudioChunk): Promise<Uint8Array> {
    const form = new FormData();
    form.set('file', new File([wavOf(samples, sampleRate)], 'audio.wav', { type: 'audio/wav' }));
    form.set('model', this.options.model);
    form.set('response_format', this.#form);
    return this.#upstream.post(PATH, {}, form);
  }
}

function read(body: Uint8Array, { samples, sampleRate }: AudioChunk): Transcription {
  const endMs = Math.round((samples.length / sampleRate) * 1000);
  const parsed = answer.safeParse(jsonOf(body));
  if (!parsed.success) throw new TranscriptionError("the server's response is not a transcription", false);
  const { text, language, segments } = parsed.data;
  const whole: z.output<typeof segment>[] = [{ start: 0, end: endMs / 1000, text }];
  return {
    language: languageCode(language),
    segments: (segments ?? whole)
      .filter((one) => one.text.trim() !== '' && !isMadeUp(one))
      .map((one): Segment => {
        const startMs = Math.max(0, Math.min(endMs, Math.round(one.start * 1000)));
        return {
          startMs,
          endMs: Math.max(startMs, Math.min(endMs, Math.round(one.end * 1000))),
          text: one.text.trim(),
          confidence: confidenceOf(one),
        };
      }),
  };
}

type Scores = Pick<z.output<typeof segment>, 'avg_logprob' | 'no_speech_prob'>;

function isMadeUp({ avg_logprob, no_speech_prob }: Scores): boolean {
  return (no_speech_prob ?? 0) > NO_SPEECH && (avg_logprob ?? 0) < UNLIKELY;
}

/** The geometric mean of the token probabilities. */
function confidenceOf({ avg_logprob }: Scores): number | null {
  return typeof avg_logprob === 'number' ? Math.min(1, Math.exp(avg_logprob)) : null;
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return null;
  }
}
