import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link, shortTemplate } from '../parts/fields.js';
import { optionalLink, requiredLink } from '../parts/links.js';
import { destinationReferences } from '../parts/references.js';
import { checkTarget } from '../parts/target.js';

export const DIAL_DEFAULTS = { ring_timeout_seconds: 30 } as const;

export const dial = defineNode({
  schema: z.strictObject({
    type: z.literal('dial'),
    to: z.strictObject({ type: z.enum(['number', 'agent', 'sip']), target: shortTemplate }),
    ring_timeout_seconds: z.int().min(5).max(120).optional(),
    next: link.optional().describe('Followed if the other party was not reached; `dial_status` contains the reason'),
    after: link.optional().describe('Followed if the other party hangs up first; without it the call ends'),
  }),
  resultVariables: ['dial_status'],
  script: {
    dials: z
      .array(z.enum(['answered', 'busy', 'no_answer', 'failed']))
      .max(100)
      .optional()
      .describe('`answered` after the last'),
  },
  links: ({ next, after }) => [requiredLink('next', next), ...optionalLink('after', after)],
  templates: ({ to }) => [['to.target', to.target]],
  references: ({ to }) => destinationReferences(to),
  check: ({ to }, checker) => checkTarget(to, checker),
});
