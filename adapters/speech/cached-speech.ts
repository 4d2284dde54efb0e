import { createHash } from 'node:crypto';
import { SpeechError, type Speech, type SpeechLanguage } from '../../core/ports/speech.js';
import { UpstreamError } from '../http/upstream.js';
import { AudioFolder } from '../media/audio-folder.js';
import { PROMPT_LUFS } from '../media/convert.js';
import { AudioConverter } from '../media/converter.js';
import type { Voice } from './voice.js';

export interface SpeechOptions {
  /** Default: a converter of its own that converts one text at a time. */
  readonly converter?: AudioConverter;
  /** Maximum size of the cache. Default 1 GiB. */
  readonly maxBytes?: number;
  /** Called when a voice fails; the next voice is tried. */
  readonly onFailure?: (voice: string, error: unknown) => void;
}

export const MAX_TEXT_LENGTH = 4000;
/** Longer than the longest call, which may be playing the file in a loop. */
const KEEP_MS = 5 * 3600_000;
const MAX_SECONDS = 1200;
/** Part of the cache key: increment it when the conversion changes. */
const SOUND_VERSION = 2;
/** How long a failed voice is skipped if another one is available, so that callers do not wait for it again. */
const SKIP_FAILED_MS = 20_000;

/**
 * Synthesizes with the first working voice, once per text, and caches the audio by a hash of the text and all settings
 * that affect the voice.
 */
export class CachedSpeech implements Speech {
  readonly languages: ReadonlySet<SpeechLanguage>;
  readonly #folder: AudioFolder;
  readonly #converter: AudioConverter;
  readonly #running = new Map<string, Promise<string>>();
  readonly #skipUntil = new Map<Voice, number>();

  /** @param dir engines see it at the same path; created if missing, readable by other users */
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
    if (spoken === '') throw new SpeechError('the text has nothing to speak');
    if (spoken.length > MAX_TEXT_LENGTH) throw new SpeechError(`the text is longer than ${MAX_TEXT_LENGTH} characters`);
    const available = voices.filter((voice) => (this.#skipUntil.get(voice) ?? 0) <= performance.now());
    let failure: unknown;
    for (const voice of available.length === 0 ? voices : available) {
      try {
        return await this.#once(voice, spoken, language);
      } catch (error) {
        failure = error;
        this.#failed(voice, error);
      }
    }
    throw new SpeechError('the text cannot be spoken', { cause: failure });
  }

  async close(): Promise<void> {
    await Promise.all(this.voices.map((voice) => voice.close()));
  }

  #failed(voice: Voice, error: unknown): void {
    if (!(error instanceof UpstreamError && error.isRefusal))
      this.#skipUntil.set(voice, performance.now() + SKIP_FAILED_MS);
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
      audio: await voice.speak(text, language),
      maxSeconds: MAX_SECONDS,
      loudness: PROMPT_LUFS,
    });
    return (await this.#folder.write(name, audio)).path;
  }
}

/** Used if no voice is installed: only calls that need speech fail. */
export class NoSpeech implements Speech {
  readonly languages: ReadonlySet<SpeechLanguage> = new Set();

  synthesize(): Promise<string> {
    return Promise.reject(new SpeechError('no voice is installed'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Removes control characters, which cannot be spoken. */
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
