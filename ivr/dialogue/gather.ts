import type { MediaItem } from '../../core/ports/engine.js';
import type { LegEvent } from '../../core/ports/engine-events.js';
import type { CallControl, ProgramSignal } from '../../core/services/call-state/program.js';

/** A question to the caller, and how the digits of the answer are collected. */
export interface Question {
  /** Played first. If it is empty, the wait for the first digit starts at once. */
  readonly prompt: readonly MediaItem[];
  /** The answer is complete with this number of digits. */
  readonly maxDigits: number;
  /** The key that ends the answer, without being part of it. Null: only the number of digits or a timeout ends it. */
  readonly terminator: '#' | '*' | null;
  /** Timeout for the first digit, counted from the end of the prompt. */
  readonly firstDigitMs: number;
  /** Timeout for each further digit. */
  readonly nextDigitMs: number;
  /** A digit ends the prompt. Otherwise digits during the prompt are ignored. */
  readonly bargeIn: boolean;
}

/** The caller's answer, and what ended it. `silence`: no key was pressed. */
export interface Answer {
  readonly digits: string;
  readonly by: 'length' | 'terminator' | 'timeout' | 'silence';
}

const TIMER = 'gather';

/**
 * Asks the customer one question and collects the digits (RFC 4733 events, one at a time). Digits are kept in memory only: after a restart the
 * question must be asked again.
 */
export class Gather {
  #digits = '';
  #playbackId: string | null = null;
  #isOpen = false;

  /** @param done receives the answer, once */
  constructor(
    private readonly question: Question,
    private readonly done: (call: CallControl, answer: Answer) => Promise<void>,
  ) {}

  /** The running prompt. A program saves it so that it can stop the prompt after a restart, before it asks again. */
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

  /** @returns whether the event belonged to this question */
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

  /** @returns whether the signal belonged to this question */
  async onSignal(call: CallControl, signal: ProgramSignal): Promise<boolean> {
    if (!this.#isOpen || signal.type !== 'later' || signal.key !== TIMER) return false;
    await this.#finish(call, this.#digits === '' ? 'silence' : 'timeout');
    return true;
  }

  /** Stops the prompt and accepts no answer. */
  async cancel(call: CallControl): Promise<void> {
    this.#isOpen = false;
    call.cancelTimer(TIMER);
    await this.#stopPrompt(call);
  }

  async #pressed(call: CallControl, digit: string): Promise<void> {
    const { maxDigits, nextDigitMs, terminator } = this.question;
    await this.#stopPrompt(call);
    if (digit === terminator) return this.#finish(call, 'terminator');
    this.#digits += digit;
    if (this.#digits.length >= maxDigits) return this.#finish(call, 'length');
    call.startTimer(nextDigitMs, TIMER);
  }

  async #stopPrompt(call: CallControl): Promise<void> {
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
