import { z } from 'zod';
import { asking, flowLanguage, link, prompt, shortTemplate, variableName } from '../parts.js';

/** One key, or a number of up to four digits. */
const choice = z.string().regex(/^(?:[0-9]{1,4}|[*#])$/);
const choices = z.record(choice, link).describe('The node for each choice');

export const menuNode = z.strictObject({ type: z.literal('menu'), ...asking, choices });

export const authMenuNode = z.strictObject({ type: z.literal('auth_menu'), ...asking, choices });

export const gatherNode = z.strictObject({
  type: z.literal('gather'),
  ...asking,
  variable: variableName.describe('Takes the digits'),
  min_digits: z.int().min(1).max(32).optional(),
  max_digits: z.int().min(1).max(32).optional(),
  terminator: z.enum(['#', '*', 'none']).optional(),
  digit_timeout_seconds: z.int().min(1).max(30).optional(),
  next: link.optional(),
});

export const GATHER_DEFAULTS = { min_digits: 1, max_digits: 32, terminator: '#' } as const;

/** A code is sent to a number, and the caller enters it. */
export const verifyNode = z.strictObject({
  type: z.literal('verify'),
  to: shortTemplate.optional().describe('The caller’s number by default'),
  channel: z.enum(['voice', 'sms', 'chatapp', 'email']).optional(),
  language: flowLanguage.optional(),
  code_length: z.int().min(4).max(10).optional(),
  prompt: prompt.optional(),
  timeout_seconds: z.int().min(5).max(120).optional(),
  tries: z.int().min(1).max(5).optional(),
  next: link.optional().describe('The code was right'),
  failed: link.optional().describe('It was not, or could not be sent; `verify_status` says why'),
});

export const VERIFY_DEFAULTS = { code_length: 6, timeout_seconds: 30, tries: 3 } as const;
