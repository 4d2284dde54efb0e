import { z } from 'zod';
import { defineNode } from '../parts/descriptor.js';
import { flowLanguage, link, prompt, promptsOf, shortTemplate } from '../parts/fields.js';
import { requiredLink } from '../parts/links.js';

export const VERIFY_DEFAULTS = { code_length: 6, timeout_seconds: 30, tries: 3 } as const;

/** A `to` that is the caller's own number. */
const CALLER = /^\s*\{\{\s*caller_number\s*\}\}\s*$/;

/** Sends a code to a number and asks the caller for it. */
export const verify = defineNode({
  schema: z.strictObject({
    type: z.literal('verify'),
    to: shortTemplate.optional().describe('The caller’s number by default'),
    channel: z.enum(['voice', 'sms', 'chatapp', 'email']).optional(),
    language: flowLanguage.optional(),
    code_length: z.int().min(4).max(10).optional(),
    prompt: prompt.optional(),
    timeout_seconds: z.int().min(5).max(120).optional(),
    tries: z.int().min(1).max(5).optional(),
    next: link.optional().describe('Followed if the code is correct'),
    failed: link
      .optional()
      .describe('Followed if it is not, or if no code can be sent; `verify_status` contains the reason'),
  }),
  asksCaller: true,
  resultVariables: ['verify_status'],
  script: {
    verifications: z
      .array(
        z.strictObject({
          sent: z.boolean().optional(),
          code: z
            .string()
            .regex(/^[0-9]{4,10}$/)
            .optional(),
        }),
      )
      .max(20)
      .optional()
      .describe('Whether each code is sent, and the correct code'),
  },
  links: ({ next, failed }) => [requiredLink('next', next), requiredLink('failed', failed)],
  prompts: ({ prompt: given }) => promptsOf(given).map((one) => ['prompt', one]),
  templates: ({ to }) => [['to', to]],
  check({ channel, to }, checker) {
    if (channel === 'voice' && (to === undefined || CALLER.test(to))) checker.fault('own_line', 'channel');
  },
});
