import type { FlowNodeOf } from '../../../core/model/flow/definition.js';
import { GATHER_DEFAULTS } from '../../../core/model/flow/nodes/input.js';
import { ASKING_DEFAULTS } from '../../../core/model/flow/parts.js';
import { expectOutcome, type NodeBehaviour } from '../node.js';
import { ask, askAgain, isSilence, type Digits } from '../question.js';

export const gather: NodeBehaviour<'gather'> = {
  enter: (node, ctx) => ask(node, digitsOf(node), ctx),
  resume(node, outcome, ctx) {
    const answer = expectOutcome(outcome, 'answered');
    const { digits } = answer;
    if (isSilence(answer)) return askAgain(node, digitsOf(node), 'no_input', ctx);
    const isEnough = /^[0-9]+$/.test(digits) && digits.length >= (node.min_digits ?? GATHER_DEFAULTS.min_digits);
    if (!isEnough) return askAgain(node, digitsOf(node), 'invalid', ctx);
    ctx.set(node.variable, digits);
    return { go: node.next };
  },
};

function digitsOf({ max_digits, terminator, digit_timeout_seconds }: FlowNodeOf<'gather'>): Digits {
  const ends = terminator ?? GATHER_DEFAULTS.terminator;
  return {
    maxDigits: max_digits ?? GATHER_DEFAULTS.max_digits,
    terminator: ends === 'none' ? null : ends,
    nextDigitMs: (digit_timeout_seconds ?? ASKING_DEFAULTS.digit_timeout_seconds) * 1000,
  };
}
