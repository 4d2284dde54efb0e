import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link, variableName } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';
import { questionFields, questionPrompts, unansweredLinks } from '../parts/question.js';

export const GATHER_DEFAULTS = { min_digits: 1, max_digits: 32, terminator: '#' } as const;

export const gather = defineNode({
  schema: z.strictObject({
    type: z.literal('gather'),
    ...questionFields,
    variable: variableName.describe('Receives the digits'),
    min_digits: z.int().min(1).max(32).optional(),
    max_digits: z.int().min(1).max(32).optional(),
    terminator: z.enum(['#', '*', 'none']).optional(),
    digit_timeout_seconds: z.int().min(1).max(30).optional(),
    next: link.optional(),
  }),
  asksCaller: true,
  links: (node) => [requiredLink('next', node.next), ...unansweredLinks(node)],
  prompts: questionPrompts,
  check({ variable, min_digits, max_digits }, checker) {
    checker.variables([variable], 'variable');
    const min = min_digits ?? GATHER_DEFAULTS.min_digits;
    const max = max_digits ?? GATHER_DEFAULTS.max_digits;
    if (min > max) checker.fault('bad_limits', 'min_digits', `min_digits ${min}, max_digits ${max}`);
  },
});
