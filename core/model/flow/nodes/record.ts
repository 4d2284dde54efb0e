import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

export const record = defineNode({
  schema: z.strictObject({
    type: z.literal('record'),
    action: z.enum(['start', 'stop', 'pause', 'resume']),
    next: link.optional(),
  }),
  links: ({ next }) => [requiredLink('next', next)],
});
