import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

const MAX_BRANCHES = 10;

const splitBranch = z.strictObject({
  weight: z.int().min(1).max(100).describe('Share of the callers, relative to the sum of all weights'),
  next: link.optional(),
});

const branchIndex = z
  .int()
  .min(0)
  .max(MAX_BRANCHES - 1);

/** Chance decides which node comes next, for trials with a part of the callers. */
export const split = defineNode({
  schema: z.strictObject({
    type: z.literal('split'),
    branches: z.array(splitBranch).min(2).max(MAX_BRANCHES),
  }),
  script: {
    splits: z
      .array(branchIndex)
      .max(100)
      .optional()
      .describe('The branch that each `split` takes, counted from 0; `0` after the last'),
  },
  links: ({ branches }) => branches.map(({ next }, index) => requiredLink(`branches[${index}].next`, next)),
});
