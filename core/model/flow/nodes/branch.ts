import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link, variableName } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

export const BRANCH_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'starts_with',
  'ends_with',
  'greater_than',
  'less_than',
  'in',
  'is_set',
  'is_empty',
] as const;

const value = z.union([z.string().max(255), z.number(), z.boolean()]);

const branchCase = z.strictObject({
  variable: variableName,
  operator: z.enum(BRANCH_OPERATORS),
  value: z.union([value, z.array(value).min(1).max(100)]).optional(),
  next: link.optional(),
});
export type BranchCase = z.output<typeof branchCase>;

/** The first case that matches decides which node comes next. */
export const branch = defineNode({
  schema: z.strictObject({
    type: z.literal('branch'),
    cases: z.array(branchCase).min(1).max(50),
    next: link.optional().describe('Followed if no case matches'),
  }),
  links: ({ cases, next }) => [
    ...cases.map((one, index) => requiredLink(`cases[${index}].next`, one.next)),
    requiredLink('next', next),
  ],
  check({ cases }, checker) {
    cases.forEach((one, index) => {
      if (!hasFittingValue(one)) checker.fault('bad_value', `cases[${index}].value`, one.operator);
    });
  },
});

function hasFittingValue({ operator, value: given }: BranchCase): boolean {
  if (operator === 'is_set' || operator === 'is_empty') return given === undefined;
  if (operator === 'in') return Array.isArray(given);
  return given !== undefined && !Array.isArray(given);
}
