import type { FlowNodeOf } from '../../../core/model/flow/node-types.js';
import { QUESTION_DEFAULTS } from '../../../core/model/flow/parts/question.js';
import type { NodeContext, Step } from '../node.js';
import { askQuestion, type DigitRules } from './question.js';

type ChoiceNode = FlowNodeOf<'menu' | 'auth_menu'>;

/** Asks for one of the node's choices and follows its link. @param onChoice receives a valid choice */
export function askChoice(node: ChoiceNode, ctx: NodeContext, onChoice?: (digits: string) => void): Step {
  return askQuestion(node, digitRulesOf(node), ctx, (digits) => {
    if (!Object.hasOwn(node.choices, digits)) return null;
    ctx.set('choice', digits);
    onChoice?.(digits);
    return { go: node.choices[digits] };
  });
}

function digitRulesOf({ choices }: ChoiceNode): DigitRules {
  const keys = Object.keys(choices);
  return {
    maxDigits: Math.max(1, ...keys.map(({ length }) => length)),
    terminator: keys.includes('#') ? null : '#',
    nextDigitMs: QUESTION_DEFAULTS.digit_timeout_seconds * 1000,
  };
}
