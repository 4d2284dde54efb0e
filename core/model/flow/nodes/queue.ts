import { z } from 'zod';
import { skillsSchema } from '../../queue/skills.js';
import { defineNode } from '../parts/descriptor.js';
import { link, resourceId } from '../parts/fields.js';
import { optionalLink } from '../parts/links.js';

export const queue = defineNode({
  schema: z.strictObject({
    type: z.literal('queue'),
    queue_id: resourceId,
    required_skills: skillsSchema
      .optional()
      .describe('Lowest level by skill that an agent needs for this caller, besides those that the queue requires'),
    next: link.optional().describe('Followed if no agent answers; without it the queue’s own overflow applies'),
  }),
  script: {
    queues: z
      .array(z.enum(['answered', 'not_served']))
      .max(100)
      .optional()
      .describe('`answered` after the last'),
  },
  links: ({ next }) => optionalLink('next', next),
  references: ({ queue_id }) => [{ kind: 'queue', field: 'queue_id', target: queue_id }],
});
