import type { Answer, Question } from '../../dialogue/gather.js';
import type { FlowAction } from '../action.js';
import type { FlowCall } from '../flow-call.js';
import type { RenderedPrompt } from '../prompt.js';
import { SimulationEnd, type SimulatedCall } from '../simulated-call.js';
import { AskTask } from '../tasks/ask-task.js';
import { mediaOf } from '../tasks/media.js';

/** Asks the caller for digits. A digit ends the prompt. */
export class AskAction implements FlowAction<Answer> {
  readonly needsAnswer = true;

  constructor(
    private readonly prompts: readonly RenderedPrompt[],
    private readonly question: Omit<Question, 'prompt' | 'bargeIn'>,
  ) {}

  async perform(flow: FlowCall): Promise<Answer | null> {
    const prompt = await mediaOf(flow, this.prompts);
    return flow.run(new AskTask({ ...this.question, prompt, bargeIn: true }));
  }

  simulate(call: SimulatedCall): Answer | SimulationEnd {
    return call.hear(this.prompts) ?? this.#scriptedAnswer(call);
  }

  isActivity({ by }: Answer): boolean {
    return by !== 'silence';
  }

  #scriptedAnswer(call: SimulatedCall): Answer | SimulationEnd {
    const { maxDigits, terminator, firstDigitMs, nextDigitMs } = this.question;
    const input = call.next('inputs') ?? { silence: true };
    if ('hang_up' in input) return new SimulationEnd('caller_hung_up');
    if ('silence' in input) {
      call.pass(firstDigitMs);
      return { digits: '', by: 'silence' };
    }
    const end = terminator === null ? -1 : input.digits.indexOf(terminator);
    const digits = (end < 0 ? input.digits : input.digits.slice(0, end)).slice(0, maxDigits);
    if (digits.length === maxDigits) return { digits, by: 'length' };
    if (end >= 0) return { digits, by: 'terminator' };
    call.pass(nextDigitMs);
    return { digits, by: 'timeout' };
  }
}
