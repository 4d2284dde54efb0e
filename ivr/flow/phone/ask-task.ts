import type { LegEvent, MediaItem } from '../../../core/ports/engine.js';
import type { CallControl, ProgramSignal } from '../../../core/services/call-state/program.js';
import { Gather } from '../../dialogue/gather.js';
import type { FlowActionOf, FlowOutcome } from '../actions.js';
import type { Task } from './task.js';

/** Ask the caller, and take the keys that are pressed. */
export class AskTask implements Task {
  readonly #gather: Gather;
  #outcome: FlowOutcome | null = null;

  constructor({ maxDigits, terminator, firstDigitMs, nextDigitMs }: FlowActionOf<'ask'>, prompt: readonly MediaItem[]) {
    const question = { prompt, maxDigits, terminator, firstDigitMs, nextDigitMs, bargeIn: true };
    this.#gather = new Gather(question, (call, { digits, by }) => {
      this.#outcome = { type: 'answered', digits, by };
      call.note('flow.input', { digits_count: digits.length, by });
      return Promise.resolve();
    });
  }

  async start(call: CallControl): Promise<FlowOutcome | null> {
    await this.#gather.start(call);
    return this.#outcome;
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<FlowOutcome | null> {
    await this.#gather.onLegEvent(call, event);
    return this.#outcome;
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<FlowOutcome | null> {
    await this.#gather.onSignal(call, signal);
    return this.#outcome;
  }

  async cancel(call: CallControl): Promise<void> {
    await this.#gather.cancel(call);
  }
}
