import { z } from 'zod';
import { MAX_TEXT_LENGTH } from './limits.js';

/** What several kinds of node are made of. */

export const FLOW_LANGUAGES = ['ar', 'en'] as const;
export const flowLanguage = z.enum(FLOW_LANGUAGES);
export type FlowLanguage = z.output<typeof flowLanguage>;

const NODE_ID = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const nodeId = z.string().regex(NODE_ID);

/** Where a subflow goes back to the flow that called it; at the top it ends the call. */
export const RETURN = 'return';

/** The id of another node, or `return`. */
export const link = z.string().regex(NODE_ID);

export const variableName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

/** Text with `{{variables}}`. */
export const template = z.string().min(1).max(MAX_TEXT_LENGTH);
export const shortTemplate = z.string().min(1).max(255);

const audioPrompt = z.strictObject({ audio_id: z.string().min(1).max(64) });
const textPrompt = z.strictObject({ text: template, language: flowLanguage.optional() });
/** One thing that the caller hears. */
const onePrompt = z.union([textPrompt, audioPrompt]);
export type FlowPrompt = z.output<typeof onePrompt>;

/** What the caller hears: one prompt or several, one after another. */
export const prompt = z.union([onePrompt, z.array(onePrompt).min(1).max(10)]);

/** How often and how long a question waits. */
export const asking = {
  prompt,
  timeout_seconds: z.int().min(1).max(60).optional(),
  retries: z.int().min(0).max(10).optional(),
  no_input_prompt: prompt.optional(),
  invalid_prompt: prompt.optional(),
  no_input: link.optional(),
  invalid: link.optional(),
} as const;

export const ASKING_DEFAULTS = { timeout_seconds: 5, retries: 2, digit_timeout_seconds: 3 } as const;

/** The prompts one by one. */
export function promptsOf(given: z.output<typeof prompt> | undefined): readonly FlowPrompt[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}
