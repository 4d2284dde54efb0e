import type { BranchCase } from '../../../core/model/flow/nodes/branch.js';
import { asciiDigits } from '../../../core/model/phone-numbers.js';
import type { NodeBehaviour } from '../node.js';

export const branch: NodeBehaviour<'branch'> = ({ cases, next }, ctx) => {
  const match = cases.find((one) => matches(one, ctx.variable(one.variable)));
  return { go: match ? match.next : next };
};

/** Texts are compared without regard to letter case, numbers by value. A variable that was never set is empty. */
function matches({ operator, value }: BranchCase, actual: string): boolean {
  const expected = Array.isArray(value) ? value.map(String) : [String(value ?? '')];
  const [first = ''] = expected;
  switch (operator) {
    case 'equals':
      return isEqual(actual, first);
    case 'not_equals':
      return !isEqual(actual, first);
    case 'in':
      return expected.some((one) => isEqual(actual, one));
    case 'contains':
      return normalize(actual).includes(normalize(first));
    case 'starts_with':
      return normalize(actual).startsWith(normalize(first));
    case 'ends_with':
      return normalize(actual).endsWith(normalize(first));
    case 'greater_than':
      return numberOf(actual) > numberOf(first);
    case 'less_than':
      return numberOf(actual) < numberOf(first);
    case 'is_set':
      return actual !== '';
    case 'is_empty':
      return actual === '';
  }
}

function isEqual(one: string, other: string): boolean {
  return normalize(one) === normalize(other);
}

function normalize(text: string): string {
  return asciiDigits(text).trim().toLowerCase();
}

/** NaN for text that is not a number, so it is neither greater nor less than anything. */
function numberOf(text: string): number {
  const digits = normalize(text);
  return /^[+-]?\d{1,15}(?:\.\d{1,10})?$/.test(digits) ? Number(digits) : NaN;
}
