import type { SpeechLanguage } from '../../core/ports/speech.js';
import { Gate } from '../media/gate.js';
import { withVowels } from './arabic-vowels.js';
import { runProgram, type Program } from '../programs/run-program.js';
import type { Voice } from './voice.js';

/** Names of espeak-ng's voices. */
const VOICES: Readonly<Record<SpeechLanguage, string>> = { ar: 'ar', en: 'en' };
const SPEECH_LANGUAGES = ['ar', 'en'] as const;
/** Slow, as in an announcement. */
const WORDS_PER_MINUTE = 150;
/** Part of the cache key: increment it when the vowels change. */
const VOWELS_VERSION = 4;
const TIMEOUT_MS = 30_000;
/** Numbers expand to many words: 20 minutes of speech at 22 kHz. */
const MAX_OUTPUT_BYTES = 1200 * 2 * 22_050;

/** The local voice: one espeak-ng process per text. */
export class EspeakVoice implements Voice {
  readonly name = 'espeak-ng';
  readonly #gate = new Gate(2, 256);

  constructor(
    private readonly program: Program,
    readonly languages: ReadonlySet<SpeechLanguage>,
  ) {}

  /** Finds the languages for which the program has voices; null if it does not run or has none. */
  static async find(program: Program): Promise<EspeakVoice | null> {
    const languages = new Set<SpeechLanguage>();
    for (const language of SPEECH_LANGUAGES) if (await hasVoice(program, VOICES[language])) languages.add(language);
    return languages.size === 0 ? null : new EspeakVoice(program, languages);
  }

  identity(language: SpeechLanguage): readonly (string | number)[] {
    return [this.name, this.program.version, VOICES[language], WORDS_PER_MINUTE, VOWELS_VERSION];
  }

  async speak(text: string, language: SpeechLanguage): Promise<Uint8Array> {
    const args = ['-v', VOICES[language], '-s', String(WORDS_PER_MINUTE), '-b', '1', '--stdin', '--stdout'];
    // espeak-ng would interpret `[[` as phonemes.
    const input = (language === 'ar' ? withVowels(text) : text).replace(/\[(?=\[)/g, '[ ');
    const turn = this.#gate.enter(() =>
      runProgram(this.program, args, { input, timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES }),
    );
    if (turn === null) throw new Error('too many texts are waiting to be spoken');
    return turn;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
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
