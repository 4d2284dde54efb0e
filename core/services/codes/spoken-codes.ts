import { spokenDigits, type SpokenLanguage } from '../../model/spoken/index.js';
import type { Clock } from '../../ports/clock.js';
import type { Speech } from '../../ports/speech.js';
import { speakAhead } from '../audio/preparation.js';
import type { Placer } from '../calls/placement.js';
import type { SystemCall } from '../calls/system-call.js';

export interface SpokenCode {
  /** The digits are generated when the call is answered. */
  readonly codeId: string;
  /** E.164. */
  readonly to: string;
  readonly language: SpokenLanguage;
  readonly brand: string | null;
  readonly sandbox: boolean;
}

/** The sentences spoken around the digits. */
export const CODE_WORDS = {
  en: {
    greeting: (brand: string | null) =>
      brand === null ? 'Hello. Here is your verification code.' : `Hello. Here is your verification code for ${brand}.`,
    code: 'Your code is:',
    again: 'Once more:',
    end: 'Goodbye.',
    failure: 'Your code cannot be spoken now. Please ask for a new one.',
  },
  ar: {
    greeting: (brand: string | null) =>
      brand === null ? 'مرحبًا. هذا رمز التحقق الخاص بك.' : `مرحبًا. هذا رمز التحقق الخاص بك في ${brand}.`,
    code: 'رمز التحقق هو:',
    again: 'مرة أخرى:',
    end: 'لا تشارك هذا الرمز مع أحد. مع السلامة.',
    failure: 'تعذّر إبلاغك بالرمز الآن. فضلًا اطلب رمزًا جديدًا.',
  },
} as const satisfies Record<SpokenLanguage, object>;

const RING_SECONDS = 45;
/** Ringing plus speaking: ten digits spoken twice take less than a minute. */
const MAX_SECONDS = RING_SECONDS + 120;

/** Speaks codes in telephone calls. */
export class SpokenCodes {
  constructor(
    private readonly speech: Speech,
    private readonly calls: SystemCall,
    private readonly clock: Clock,
  ) {}

  /** Checks the number only. @throws as {@link SystemCall.checkNumber} does */
  checkNumber(to: string, placer: Placer, sandbox: boolean): Promise<void> {
    return this.calls.checkNumber(to, placer, sandbox);
  }

  /** Checks that a call to this number may be placed. @throws as {@link SystemCall.check} does */
  check(to: string, placer: Placer, sandbox: boolean): Promise<void> {
    return this.calls.check(to, placer, sandbox);
  }

  /**
   * Places the call, and returns its id, which must not leave the platform. Every sentence is synthesized first, so that the callee hears no gaps.
   * @throws HatifError as {@link SystemCall.place} does; SpeechError if no voice is available
   */
  async call({ codeId, to, language, brand, sandbox }: SpokenCode, placer: Placer): Promise<string> {
    const { greeting, ...words } = CODE_WORDS[language];
    const digits = Array.from('0123456789', (digit) => spokenDigits(digit, language));
    if (!sandbox) {
      await speakAhead(this.speech, this.clock, [greeting(brand), ...Object.values(words), ...digits], language);
    }
    const call = await this.calls.place(
      {
        to,
        program: { type: 'speak_code', codeId, language, brand },
        ringTimeoutSeconds: RING_SECONDS,
        maxDurationSeconds: MAX_SECONDS,
        sandbox,
      },
      placer,
    );
    return call.id;
  }
}
