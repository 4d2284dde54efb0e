import { unlessUnavailable } from '../../core/data/errors.js';
import { spokenDigits } from '../../core/model/spoken/index.js';
import type { MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { CallControl, CallProgram, ProgramSpec, Prompts } from '../../core/services/call-state/program.js';
import type { OneTimeCodes } from '../../core/services/codes/one-time-codes.js';
import { CODE_WORDS } from '../../core/services/codes/spoken-codes.js';
import { NORMAL } from '../dialogue/endings.js';

const PAUSE = { type: 'silence', durationMs: 350 } as const;
const BREAK = { type: 'silence', durationMs: 1_000 } as const;

/**
 * Speaks a one-time code twice, digit by digit, and hangs up. The code is generated only after the call is answered. Each digit is played from its
 * own file, so no file, row or log line ever contains the code.
 */
export class SpeakCodeProgram implements CallProgram {
  #playbackId: string | null;

  constructor(
    private readonly spec: Extract<ProgramSpec, { type: 'speak_code' }>,
    private readonly codes: Pick<OneTimeCodes, 'make'>,
    private readonly prompts: Prompts,
    state: Readonly<Record<string, unknown>> | null,
  ) {
    this.#playbackId = typeof state?.playbackId === 'string' ? state.playbackId : null;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    this.#playbackId = await call.play(customer.legId, await this.#message(call));
    call.save({ playbackId: this.#playbackId });
  }

  /** The earlier code was lost with its process: a new code is spoken, and only the new one is valid. */
  async resume(call: CallControl): Promise<void> {
    if (this.#playbackId !== null) await call.stopPlay(this.#playbackId);
    await this.start(call);
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<void> {
    if (event.type !== 'play.finished' || event.playbackId !== this.#playbackId) return;
    if (event.outcome === 'failed') call.note('play.failed');
    await call.end(NORMAL);
  }

  async #message(call: CallControl): Promise<readonly MediaItem[]> {
    const { brand, language } = this.spec;
    const words = CODE_WORDS[language];
    const code = await this.#make(call);
    const digits = code === null ? null : await this.#digits(code);
    call.note(digits === null ? 'code.not_spoken' : 'code.spoken');
    if (digits === null) return [(await this.#say(words.failure)) ?? BREAK];
    const [greeting, first, again, end] = await Promise.all(
      [words.greeting(brand), words.code, words.again, words.end].map((text) => this.#say(text)),
    );
    return [greeting, BREAK, first, PAUSE, ...digits, BREAK, again, PAUSE, ...digits, BREAK, end].filter(
      (item) => item !== null && item !== undefined,
    );
  }

  /** @returns null if the code could not be stored; the caller then hears an apology */
  #make(call: CallControl): Promise<string | null> {
    return unlessUnavailable(this.codes.make(this.spec.codeId), () => {
      call.note('code.not_made');
      return null;
    });
  }

  /** @returns null if any digit cannot be spoken, because an incomplete code would be worse than none */
  async #digits(code: string): Promise<readonly MediaItem[] | null> {
    const items = await Promise.all(Array.from(code, (digit) => this.#say(spokenDigits(digit, this.spec.language))));
    return items.every((item) => item !== null) ? items.flatMap((item) => [item, PAUSE]) : null;
  }

  #say(text: string): Promise<MediaItem | null> {
    return this.prompts.say(text, this.spec.language);
  }
}
