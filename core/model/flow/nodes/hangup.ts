import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';

export const hangup = defineNode({
  schema: z.strictObject({
    type: z.literal('hangup'),
    reason: z
      .enum(['normal', 'busy', 'rejected'])
      .optional()
      .describe('How a call that was not answered yet is rejected; `normal` by default'),
  }),
  links: () => [],
});
