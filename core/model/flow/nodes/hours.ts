import { z } from 'zod';
import { openingHours } from '../../calendar/index.js';
import { link } from '../parts.js';

/** Whether somebody is there at this hour. */
export const hoursNode = z.strictObject({
  type: z.literal('hours'),
  hours: openingHours,
  open: link.optional(),
  closed: link.optional(),
});
