import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { link, resourceId } from '../parts/fields.js';
import { optionalLink, requiredLink } from '../parts/links.js';

/** Goes to another node, or to another flow that does not return. */
export const goto = defineNode({
  schema: z.strictObject({ type: z.literal('goto'), next: link.optional(), callflow_id: resourceId.optional() }),
  links: ({ next, callflow_id }) =>
    callflow_id === undefined ? [requiredLink('next', next)] : optionalLink('next', next),
  references: ({ callflow_id }) =>
    callflow_id === undefined ? [] : [{ kind: 'callflow', field: 'callflow_id', target: callflow_id }],
  check({ next, callflow_id }, checker) {
    if (next !== undefined && callflow_id !== undefined) checker.fault('both_links', '');
  },
});
