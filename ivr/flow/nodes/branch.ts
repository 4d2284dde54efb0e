import type { BranchCase } from '../../../core/model/flow/nodes/logic.js';
import { asciiDigits } from '../../../core/model/phone-numbers.js';
import type { NodeBehaviour } from '../node.js';

export const branch: NodeBehaviour<'branch'> = {
  enter({ cases, next }, ctx) {
    const found = cases.find((one) => holds(one, ctx.valueOf(one.variable)));
    return { go: found ? found.next : next };
  },
};

/** Texts are compared without regard to letter case, numbers by their value. A variable that was never set is empty. */
function holds({ operator, value }: BranchCase, is: string): boolean {
  const wanted = Array.isArray(value) ? value.map(String) : [String(value ?? '')];
  const [first = ''] = wanted;
  switch (operator) {
    case 'equals':
      return isSame(is, first);
    case 'not_equals':
      return !isSame(is, first);
    case 'in':
      return wanted.some((one) => isSame(is, one));
    case 'contains':
      return plain(is).includes(plain(first));
    case 'starts_with':
      return plain(is).startsWith(plain(first));
    case 'ends_with':
      return plain(is).endsWith(plain(first));
    case 'greater_than':
      return numberOf(is) > numberOf(first);
    case 'less_than':
      return numberOf(is) < numberOf(first);
    case 'is_set':
      return is !== '';
    case 'is_empty':
      return is === '';
  }
}

function isSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return asciiDigits(text).trim().toLowerCase();
}

/** What is no number is neither greater nor less than anything. */
function numberOf(text: string): number {
  const digits = plain(text);
  return /^[+-]?\d{1,15}(?:\.\d{1,10})?$/.test(digits) ? Number(digits) : NaN;
}
