import type { FlowNodeOf } from '../../core/model/flow/definition.js';
import { ASKING_DEFAULTS } from '../../core/model/flow/parts.js';
import type { FlowOutcome } from './actions.js';
import { expectOutcome, type NodeContext, type Step } from './node.js';
import { ask, askAgain, isSilence, type Digits } from './question.js';

type Choosing = FlowNodeOf<'menu' | 'auth_menu'>;

export function askChoice(node: Choosing, ctx: NodeContext): Step {
  return ask(node, digitsOf(node), ctx);
}

/** @param chosen is told a choice that there is */
export function choose(
  node: Choosing,
  outcome: FlowOutcome,
  ctx: NodeContext,
  chosen: (digits: string) => void = () => undefined,
): Step {
  const answer = expectOutcome(outcome, 'answered');
  const { digits } = answer;
  if (!Object.hasOwn(node.choices, digits)) {
    return askAgain(node, digitsOf(node), isSilence(answer) ? 'no_input' : 'invalid', ctx);
  }
  ctx.set('choice', digits);
  chosen(digits);
  return { go: node.choices[digits] };
}

function digitsOf({ choices }: Choosing): Digits {
  const keys = Object.keys(choices);
  return {
    maxDigits: Math.max(1, ...keys.map(({ length }) => length)),
    terminator: keys.includes('#') ? null : '#',
    nextDigitMs: ASKING_DEFAULTS.digit_timeout_seconds * 1000,
  };
}
