import type { FlowNodeOf } from '../../../core/model/flow/node-types.js';
import { promptsOf } from '../../../core/model/flow/parts/fields.js';
import { QUESTION_DEFAULTS } from '../../../core/model/flow/parts/question.js';
import type { Answer, Question } from '../../dialogue/gather.js';
import { act, type NodeContext, type Step } from '../node.js';
import type { RenderedPrompt } from '../prompt.js';
import { AskAction } from './ask-action.js';

type QuestionNode = FlowNodeOf<'menu' | 'auth_menu' | 'gather'>;

/** How the digits of an answer are collected. */
export type DigitRules = Pick<Question, 'maxDigits' | 'terminator' | 'nextDigitMs'>;

/** Handles an answer that is not silence. @returns the next step; null if the answer is invalid */
type Accept = (digits: string) => Step | null;

/**
 * Asks the node's question. After silence or an invalid answer it plays the prompt for that and asks again; when all retries are used up it
 * takes the link `no_input` or `invalid`.
 */
export function askQuestion(node: QuestionNode, rules: DigitRules, ctx: NodeContext, accept: Accept): Step {
  const ask = (prompts: readonly RenderedPrompt[]): Step => {
    const firstDigitMs = (node.timeout_seconds ?? QUESTION_DEFAULTS.timeout_seconds) * 1000;
    return act(new AskAction(prompts, { firstDigitMs, ...rules }), (answer) => {
      if (isSilence(answer)) return retry('no_input');
      return accept(answer.digits) ?? retry('invalid');
    });
  };
  const retry = (why: 'no_input' | 'invalid'): Step => {
    const tries = Number(ctx.notes?.tries ?? 0) + 1;
    if (tries > (node.retries ?? QUESTION_DEFAULTS.retries)) {
      return { go: why === 'no_input' ? (node.no_input ?? node.invalid) : (node.invalid ?? node.no_input) };
    }
    ctx.note({ ...ctx.notes, tries });
    const reason = promptsOf(why === 'no_input' ? node.no_input_prompt : node.invalid_prompt);
    return ask(ctx.render([...reason, ...promptsOf(node.prompt)]));
  };
  return ask(ctx.render(promptsOf(node.prompt)));
}

function isSilence({ by }: Answer): boolean {
  return by === 'silence';
}
