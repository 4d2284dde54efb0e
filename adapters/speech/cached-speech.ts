import { createHash } from 'node:crypto';
import { SpeechError, type Speech, type SpeechLanguage } from '../../core/ports/speech.js';
import { UpstreamError } from '../http/upstream.js';
import { AudioFolder } from '../media/audio-folder.js';
import { PROMPT_LUFS } from '../media/convert.js';
import { AudioConverter } from '../media/converter.js';
import type { Voice } from './voice.js';

export interface SpeechOptions {
  /** By default one of its own, that converts one text at a time. */
  readonly converter?: AudioConverter;
  /** What was spoken is kept until it weighs more than this; 1 GiB by default. */
  readonly maxBytes?: number;
  /** Told when a voice fails; the next one speaks. */
  readonly onFailure?: (voice: string, error: unknown) => void;
}

export const MAX_TEXT_LENGTH = 4000;
/** Longer than the longest call: it may be playing the file again and again. */
const KEEP_MS = 5 * 3600_000;
const MAX_SECONDS = 1200;
/** Part of the name of what was spoken: a change of the sound needs a new name. */
const SOUND_VERSION = 2;
/** For how long a voice that failed is not asked, where another can speak: whoever calls does not wait for it again. */
const REST_MS = 20_000;

/** Speech by the first voice that can, made once, kept as audio by the hash of the text and all that the voice's sound depends on. */
export class CachedSpeech implements Speech {
  readonly languages: ReadonlySet<SpeechLanguage>;
  readonly #folder: AudioFolder;
  readonly #converter: AudioConverter;
  readonly #running = new Map<string, Promise<string>>();
  readonly #restUntil = new Map<Voice, number>();

  /** @param dir Engines see it under the same path; made when missing, readable by other users. */
  constructor(
    private readonly voices: readonly Voice[],
    dir: string,
    private readonly options: SpeechOptions = {},
  ) {
    this.languages = new Set(voices.flatMap((voice) => [...voice.languages]));
    this.#folder = new AudioFolder(dir, { maxBytes: options.maxBytes ?? 1024 ** 3, keepMs: KEEP_MS });
    this.#converter = options.converter ?? new AudioConverter();
  }

  async synthesize(text: string, language: SpeechLanguage): Promise<string> {
    const voices = this.voices.filter((voice) => voice.languages.has(language));
    if (voices.length === 0) throw new SpeechError(`no voice for ${language} is installed`);
    const spoken = speakable(text);
    if (spoken === '') throw new SpeechError('the text has nothing to say');
    if (spoken.length > MAX_TEXT_LENGTH) throw new SpeechError(`the text is longer than ${MAX_TEXT_LENGTH} characters`);
    const awake = voices.filter((voice) => (this.#restUntil.get(voice) ?? 0) <= performance.now());
    let failure: unknown;
    for (const voice of awake.length === 0 ? voices : awake) {
      try {
        return await this.#once(voice, spoken, language);
      } catch (error) {
        failure = error;
        this.#failed(voice, error);
      }
    }
    throw new SpeechError('the text could not be spoken', { cause: failure });
  }

  async close(): Promise<void> {
    await Promise.all(this.voices.map((voice) => voice.close()));
  }

  #failed(voice: Voice, error: unknown): void {
    if (!(error instanceof UpstreamError && error.isRefusal)) this.#restUntil.set(voice, performance.now() + REST_MS);
    this.options.onFailure?.(voice.name, error);
  }

  #once(voice: Voice, text: string, language: SpeechLanguage): Promise<string> {
    const name = nameOf(voice, text, language);
    let running = this.#running.get(name);
    if (!running) {
      running = this.#make(name, voice, text, language).finally(() => this.#running.delete(name));
      this.#running.set(name, running);
    }
    return running;
  }

  async #make(name: string, voice: Voice, text: string, language: SpeechLanguage): Promise<string> {
    const kept = await this.#folder.find(name);
    if (kept) return kept.path;
    const audio = await this.#converter.convert({
      bytes: await voice.speak(text, language),
      maxSeconds: MAX_SECONDS,
      loudness: PROMPT_LUFS,
    });
    return (await this.#folder.write(name, audio)).path;
  }
}

/** Where no voice is installed: calls that need one fail clearly, all others go on. */
export class NoSpeech implements Speech {
  readonly languages: ReadonlySet<SpeechLanguage> = new Set();

  synthesize(): Promise<string> {
    return Promise.reject(new SpeechError('no voice is installed'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Control characters say nothing. */
function speakable(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

function nameOf(voice: Voice, text: string, language: SpeechLanguage): string {
  const what = [SOUND_VERSION, PROMPT_LUFS, language, ...voice.identity(language), text];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}
