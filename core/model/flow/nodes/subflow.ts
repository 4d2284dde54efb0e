import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link, resourceId } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

/** Runs another flow, which returns to this node. */
export const subflow = defineNode({
  schema: z.strictObject({ type: z.literal('subflow'), callflow_id: resourceId, next: link.optional() }),
  links: ({ next }) => [requiredLink('next', next)],
  references: ({ callflow_id }) => [{ kind: 'callflow', field: 'callflow_id', target: callflow_id, returns: true }],
});
