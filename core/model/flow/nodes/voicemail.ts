import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { numberReference } from '../parts/references.js';

export const voicemail = defineNode({
  schema: z.strictObject({
    type: z.literal('voicemail'),
    number: z
      .string()
      .min(1)
      .max(40)
      .optional()
      .describe('The number whose box records the message; by default the number that was called'),
  }),
  links: () => [],
  references: ({ number }) => (number === undefined ? [] : [numberReference('number', number)]),
});
