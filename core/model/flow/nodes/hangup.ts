import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';

export const hangup = defineNode({
  schema: z.strictObject({
    type: z.literal('hangup'),
    reason: z
      .enum(['normal', 'busy', 'rejected'])
      .optional()
      .describe('What a caller is told who was not answered yet; normal by default'),
  }),
  links: () => [],
});
