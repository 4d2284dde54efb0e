import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link, shortTemplate } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

export const conference = defineNode({
  schema: z.strictObject({
    type: z.literal('conference'),
    name: shortTemplate,
    muted: z.boolean().optional(),
    beep: z.boolean().optional(),
    start_on_enter: z.boolean().optional(),
    end_on_exit: z.boolean().optional(),
    max_participants: z.int().min(2).max(250).optional(),
    next: link.optional().describe('Followed if the conference cannot be joined'),
  }),
  script: {
    conferences: z
      .array(z.enum(['joined', 'refused']))
      .max(100)
      .optional()
      .describe('`joined` after the last'),
  },
  links: ({ next }) => [requiredLink('next', next)],
  templates: ({ name }) => [['name', name]],
});
