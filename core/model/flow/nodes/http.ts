import { z } from 'zod';
import { link, template, variableName } from '../parts.js';

/** A signed POST of JSON to an address outside. */
export const httpNode = z.strictObject({
  type: z.literal('http'),
  url: z.string().min(1).max(2048).describe('https; may hold `{{variables}}` after the host'),
  headers: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/), template).optional(),
  body: z
    .record(z.string().min(1).max(64), z.union([template, z.literal(''), z.number(), z.boolean()]))
    .optional()
    .describe('Further members of the request’s body, as `data.input`'),
  timeout_seconds: z.int().min(1).max(10).optional(),
  retries: z.int().min(0).max(3).optional(),
  response: z
    .record(variableName, z.string().min(1).max(255))
    .optional()
    .describe('Variables, each with the path of its value in the answer: `customer.tier`, `orders[0].id`'),
  next: link.optional(),
  failed: link.optional().describe('No 2xx answer came in time; `next` by default'),
});

export const HTTP_DEFAULTS = { timeout_seconds: 5, retries: 1 } as const;
