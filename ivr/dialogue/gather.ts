import type { LegEvent, MediaItem } from '../../core/ports/engine.js';
import type { CallControl, ProgramSignal } from '../../core/services/call-state/program.js';

/** What is asked of a caller, and how the digits of the answer are taken. */
export interface Question {
  /** Heard first. Empty: nothing, and the waiting begins at once. */
  readonly prompt: readonly MediaItem[];
  /** The answer is complete with so many digits. */
  readonly maxDigits: number;
  /** Ends the answer and is no part of it; null: only the number of digits and time end it. */
  readonly terminator: '#' | '*' | null;
  /** How long the first digit is waited for after the prompt. */
  readonly firstDigitMs: number;
  /** How long each further digit is waited for. */
  readonly nextDigitMs: number;
  /** A digit ends the prompt; otherwise digits during the prompt are not heard. */
  readonly bargeIn: boolean;
}

/** What a caller answered. `silence`: not one key was pressed. */
export interface Answer {
  readonly digits: string;
  readonly by: 'length' | 'terminator' | 'timeout' | 'silence';
}

const TIMER = 'gather';

/**
 * Asks the customer something and takes the keys that are pressed (RFC 4733 events, one at a time), for one question. Digits are kept in memory
 * only: where the application restarts, the question is asked again.
 */
export class Gather {
  #digits = '';
  #playbackId: string | null = null;
  #isOpen = false;

  /** @param done is told the answer, once */
  constructor(
    private readonly question: Question,
    private readonly done: (call: CallControl, answer: Answer) => Promise<void>,
  ) {}

  /** The prompt, while it is heard. Who keeps it can stop it after a restart, before the question is asked again. */
  get playbackId(): string | null {
    return this.#playbackId;
  }

  async start(call: CallControl): Promise<void> {
    const customer = call.leg('customer');
    if (!customer) return;
    this.#isOpen = true;
    if (this.question.prompt.length === 0) call.startTimer(this.question.firstDigitMs, TIMER);
    else this.#playbackId = await call.play(customer.legId, this.question.prompt);
  }

  /** @returns whether the event was about this question. */
  async onLegEvent(call: CallControl, event: LegEvent): Promise<boolean> {
    if (!this.#isOpen) return false;
    if (event.type === 'play.finished' && event.playbackId === this.#playbackId) {
      this.#playbackId = null;
      if (event.outcome === 'failed') call.note('play.failed');
      if (this.#digits === '') call.startTimer(this.question.firstDigitMs, TIMER);
      return true;
    }
    if (event.type !== 'leg.dtmf' || event.legId !== call.leg('customer')?.legId) return false;
    if (this.#playbackId === null || this.question.bargeIn) await this.#pressed(call, event.digit);
    return true;
  }

  /** @returns whether the signal was about this question. */
  async onSignal(call: CallControl, signal: ProgramSignal): Promise<boolean> {
    if (!this.#isOpen || signal.type !== 'later' || signal.key !== TIMER) return false;
    await this.#finish(call, this.#digits === '' ? 'silence' : 'timeout');
    return true;
  }

  /** Take no answer any more, and say nothing. */
  async cancel(call: CallControl): Promise<void> {
    this.#isOpen = false;
    call.cancelTimer(TIMER);
    await this.#hush(call);
  }

  async #pressed(call: CallControl, digit: string): Promise<void> {
    const { maxDigits, nextDigitMs, terminator } = this.question;
    await this.#hush(call);
    if (digit === terminator) return this.#finish(call, 'terminator');
    this.#digits += digit;
    if (this.#digits.length >= maxDigits) return this.#finish(call, 'length');
    call.startTimer(nextDigitMs, TIMER);
  }

  async #hush(call: CallControl): Promise<void> {
    const playbackId = this.#playbackId;
    this.#playbackId = null;
    if (playbackId !== null) await call.stopPlay(playbackId);
  }

  async #finish(call: CallControl, by: Answer['by']): Promise<void> {
    this.#isOpen = false;
    call.cancelTimer(TIMER);
    await this.done(call, { digits: this.#digits, by });
  }
}
