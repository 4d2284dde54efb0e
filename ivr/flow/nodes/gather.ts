import type { FlowNodeOf } from '../../../core/model/flow/node-types.js';
import { GATHER_DEFAULTS } from '../../../core/model/flow/nodes/gather.js';
import { QUESTION_DEFAULTS } from '../../../core/model/flow/parts/question.js';
import type { NodeBehaviour } from '../node.js';
import { askQuestion, type DigitRules } from '../shared/question.js';

export const gather: NodeBehaviour<'gather'> = (node, ctx) =>
  askQuestion(node, digitRulesOf(node), ctx, (digits) => {
    const isValid = /^[0-9]+$/.test(digits) && digits.length >= (node.min_digits ?? GATHER_DEFAULTS.min_digits);
    if (!isValid) return null;
    ctx.set(node.variable, digits);
    return { go: node.next };
  });

function digitRulesOf({ max_digits, terminator: given, digit_timeout_seconds }: FlowNodeOf<'gather'>): DigitRules {
  const terminator = given ?? GATHER_DEFAULTS.terminator;
  return {
    maxDigits: max_digits ?? GATHER_DEFAULTS.max_digits,
    terminator: terminator === 'none' ? null : terminator,
    nextDigitMs: (digit_timeout_seconds ?? QUESTION_DEFAULTS.digit_timeout_seconds) * 1000,
  };
}
