import { z } from 'zod';
import { defineNode, membersOf } from '../parts/descriptor.js';
import { link, templateValue, variableName } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

export const set = defineNode({
  schema: z.strictObject({
    type: z.literal('set'),
    values: z.record(variableName, templateValue),
    next: link.optional(),
  }),
  links: ({ next }) => [requiredLink('next', next)],
  templates: ({ values }) => membersOf('values', values),
  check: ({ values }, checker) => checker.variables(Object.keys(values), 'values'),
});
