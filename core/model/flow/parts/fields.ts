import { z } from 'zod';
import { MAX_TEXT_LENGTH } from './limits.js';

/** Fields that several node types share. */

export const FLOW_LANGUAGES = ['ar', 'en'] as const;
export const flowLanguage = z.enum(FLOW_LANGUAGES);
export type FlowLanguage = z.output<typeof flowLanguage>;

const NODE_ID = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const nodeId = z.string().regex(NODE_ID);

/** The link that leads back to the flow that called this one. In the outermost flow it ends the call. */
export const RETURN = 'return';

/** The id of another node, or `return`. */
export const link = z.string().regex(NODE_ID);

export const variableName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

/** Text that may contain `{{variables}}`. */
export const template = z.string().min(1).max(MAX_TEXT_LENGTH);
export const shortTemplate = z.string().min(1).max(255);
/** A value for a variable or a request: a template, an empty text, a number or a boolean. */
export const templateValue = z.union([template, z.literal(''), z.number(), z.boolean()]);

/** The id of an uploaded audio file, a queue or another call flow. */
export const resourceId = z.string().min(1).max(64);

const audioPrompt = z.strictObject({ audio_id: resourceId });
const textPrompt = z.strictObject({ text: template, language: flowLanguage.optional() });
/** One thing that the caller hears: a text that is spoken, or an uploaded file. */
const onePrompt = z.union([textPrompt, audioPrompt]);
export type FlowPrompt = z.output<typeof onePrompt>;

/** What the caller hears: one prompt, or several in sequence. */
export const prompt = z.union([onePrompt, z.array(onePrompt).min(1).max(10)]);
export type FlowPrompts = z.output<typeof prompt>;

export function promptsOf(given: FlowPrompts | undefined): readonly FlowPrompt[] {
  if (given === undefined) return [];
  return Array.isArray(given) ? given : [given];
}
