import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link, resourceId } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

export const play = defineNode({
  schema: z.strictObject({
    type: z.literal('play'),
    audio_id: resourceId.describe('An uploaded audio file'),
    loop: z.int().min(1).max(10).optional(),
    next: link.optional(),
  }),
  links: ({ next }) => [requiredLink('next', next)],
  prompts: ({ audio_id }) => [['audio_id', { audio_id }]],
});
