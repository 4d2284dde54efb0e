import { createHash } from 'node:crypto';
import { SpeechError, type Speech, type SpeechLanguage } from '../../core/ports/speech.js';
import { AudioFolder } from '../media/audio-folder.js';
import { PROMPT_LUFS } from '../media/convert.js';
import { AudioConverter } from '../media/converter.js';
import { Gate } from '../media/gate.js';
import { runProgram, type Program } from './run-program.js';

export interface SpeechOptions {
  /** By default one of its own, that converts one text at a time. */
  readonly converter?: AudioConverter;
  /** 150 by default: unhurried, as in an announcement. */
  readonly wordsPerMinute?: number;
  /** What was spoken is kept until it weighs more than this; 1 GiB by default. */
  readonly maxBytes?: number;
}

/** Voices of espeak-ng. */
const VOICES: Readonly<Record<SpeechLanguage, string>> = { ar: 'ar', en: 'en' };
const SPEECH_LANGUAGES = ['ar', 'en'] as const;
export const MAX_TEXT_LENGTH = 4000;
/** Longer than the longest call: it may be playing the file again and again. */
const KEEP_MS = 5 * 3600_000;
const TIMEOUT_MS = 30_000;
/** Numbers unfold into many words: 20 minutes of speech, at 22 kHz. */
const [MAX_SECONDS, MAX_OUTPUT_BYTES] = [1200, 1200 * 2 * 22_050];
/** Part of the name of what was spoken: a change of the sound needs a new name. */
const SOUND_VERSION = 2;

/**
 * The speech of this machine, with the languages that it has voices for: {@link NoSpeech} where there are none.
 * @param program espeak-ng and how it is started; null where it is not installed.
 * @param dir Engines see it under the same path; made when missing, readable by other users.
 */
export async function openSpeech(program: Program | null, dir: string, options: SpeechOptions = {}): Promise<Speech> {
  const languages = new Set<SpeechLanguage>();
  for (const language of SPEECH_LANGUAGES) {
    if (program && (await hasVoice(program, VOICES[language]))) languages.add(language);
  }
  return program && languages.size > 0 ? new EspeakSpeech(program, dir, languages, options) : new NoSpeech();
}

/** Speech by espeak-ng: one process a text, made once, kept as audio by the hash of what was asked for. */
export class EspeakSpeech implements Speech {
  readonly #folder: AudioFolder;
  readonly #running = new Map<string, Promise<string>>();
  readonly #gate = new Gate(2, 256);

  readonly #converter: AudioConverter;
  readonly #wordsPerMinute: number;

  constructor(
    private readonly program: Program,
    dir: string,
    readonly languages: ReadonlySet<SpeechLanguage>,
    options: SpeechOptions = {},
  ) {
    const { converter, wordsPerMinute = 150, maxBytes = 1024 ** 3 } = options;
    this.#folder = new AudioFolder(dir, { maxBytes, keepMs: KEEP_MS });
    this.#converter = converter ?? new AudioConverter();
    this.#wordsPerMinute = wordsPerMinute;
  }

  async synthesize(text: string, language: SpeechLanguage): Promise<string> {
    if (!this.languages.has(language)) throw new SpeechError(`no voice for ${language} is installed`);
    const spoken = speakable(text);
    if (spoken === '') throw new SpeechError('the text has nothing to say');
    if (spoken.length > MAX_TEXT_LENGTH) throw new SpeechError(`the text is longer than ${MAX_TEXT_LENGTH} characters`);
    const name = this.#nameOf(spoken, language);
    let running = this.#running.get(name);
    if (!running) {
      running = this.#make(name, spoken, language).finally(() => this.#running.delete(name));
      this.#running.set(name, running);
    }
    return running;
  }

  async #make(name: string, text: string, language: SpeechLanguage): Promise<string> {
    try {
      const kept = await this.#folder.find(name);
      if (kept) return kept.path;
      const turn = this.#gate.enter(() => this.#speak(text, language));
      if (turn === null) throw new SpeechError('too many texts are waiting to be spoken');
      const audio = await this.#converter.convert({
        bytes: await turn,
        maxSeconds: MAX_SECONDS,
        loudness: PROMPT_LUFS,
      });
      return (await this.#folder.write(name, audio)).path;
    } catch (error) {
      if (error instanceof SpeechError) throw error;
      throw new SpeechError('the text could not be spoken', { cause: error });
    }
  }

  #speak(text: string, language: SpeechLanguage): Promise<Uint8Array> {
    const args = ['-v', VOICES[language], '-s', String(this.#wordsPerMinute), '-b', '1', '--stdin', '--stdout'];
    return runProgram(this.program, args, { input: text, timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES });
  }

  #nameOf(text: string, language: SpeechLanguage): string {
    const what = [SOUND_VERSION, this.program.version, VOICES[language], this.#wordsPerMinute, PROMPT_LUFS, text];
    return createHash('sha256').update(JSON.stringify(what)).digest('hex');
  }
}

/** Where no voice is installed: calls that need one fail clearly, all others go on. */
export class NoSpeech implements Speech {
  readonly languages: ReadonlySet<SpeechLanguage> = new Set();

  synthesize(): Promise<string> {
    return Promise.reject(new SpeechError('no voice is installed'));
  }
}

/** Control characters say nothing; `[[` would switch to phoneme names. */
function speakable(text: string): string {
  return text
    .normalize('NFC')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\[(?=\[)/g, '[ ')
    .trim();
}

async function hasVoice(program: Program, voice: string): Promise<boolean> {
  try {
    const wav = await runProgram(program, ['-v', voice, '-b', '1', '--stdin', '--stdout'], {
      input: '1',
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_OUTPUT_BYTES,
    });
    return wav.length > 1000;
  } catch {
    return false;
  }
}
