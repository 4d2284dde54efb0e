import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { shortTemplate } from '../parts/fields.js';
import { destinationReferences } from '../parts/references.js';
import { checkTarget } from '../parts/target.js';

/** Sends the call to another destination and does not take it back. */
export const transfer = defineNode({
  schema: z.strictObject({
    type: z.literal('transfer'),
    to: z.strictObject({
      type: z.enum(['number', 'agent', 'sip', 'queue', 'callflow', 'voicemail']),
      target: shortTemplate.nullish(),
    }),
  }),
  links: () => [],
  templates: ({ to }) => [['to.target', to.target]],
  references: ({ to }) => destinationReferences(to),
  check: ({ to }, checker) => checkTarget(to, checker),
});
