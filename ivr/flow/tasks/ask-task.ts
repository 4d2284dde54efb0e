import type { LegEvent } from '../../../core/ports/engine-events.js';
import type { CallControl, ProgramSignal } from '../../../core/services/call-state/program.js';
import { Gather, type Answer, type Question } from '../../dialogue/gather.js';
import type { Task } from '../task.js';

/** Asks the caller and collects the digits of the answer. */
export class AskTask implements Task<Answer> {
  readonly #gather: Gather;
  #answer: Answer | null = null;

  constructor(question: Question) {
    this.#gather = new Gather(question, (call, answer) => {
      this.#answer = answer;
      call.note('flow.input', { digits_count: answer.digits.length, by: answer.by });
      return Promise.resolve();
    });
  }

  async start(call: CallControl): Promise<Answer | null> {
    await this.#gather.start(call);
    return this.#answer;
  }

  async onLegEvent(call: CallControl, event: LegEvent): Promise<Answer | null> {
    await this.#gather.onLegEvent(call, event);
    return this.#answer;
  }

  async onSignal(call: CallControl, signal: ProgramSignal): Promise<Answer | null> {
    await this.#gather.onSignal(call, signal);
    return this.#answer;
  }

  async cancel(call: CallControl): Promise<void> {
    await this.#gather.cancel(call);
  }
}
