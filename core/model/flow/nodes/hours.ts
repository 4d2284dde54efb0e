import { z } from 'zod';
import { openingHours } from '../../calendar/index.js';
import { defineNode } from '../parts/descriptor.js';
import { link } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

/** Chooses a link by opening hours. */
export const hours = defineNode({
  schema: z.strictObject({
    type: z.literal('hours'),
    hours: openingHours,
    open: link.optional(),
    closed: link.optional(),
  }),
  links: ({ open, closed }) => [requiredLink('open', open), requiredLink('closed', closed)],
});
