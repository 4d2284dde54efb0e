import { z } from 'zod';
import type { NodeChecker } from './descriptor.js';
import { link, prompt, promptsOf, type FlowPrompt, type FlowPrompts } from './fields.js';
import { optionalLink, requiredLink, type FlowLink } from './links.js';

/** Fields of a node that asks the caller for digits: prompts, waiting times, and links for a question that stays unanswered. */
export const questionFields = {
  prompt,
  timeout_seconds: z.int().min(1).max(60).optional(),
  retries: z.int().min(0).max(10).optional(),
  no_input_prompt: prompt.optional(),
  invalid_prompt: prompt.optional(),
  no_input: link.optional(),
  invalid: link.optional(),
} as const;

export const QUESTION_DEFAULTS = { timeout_seconds: 5, retries: 2, digit_timeout_seconds: 3 } as const;

interface Question {
  readonly prompt: FlowPrompts;
  readonly no_input_prompt?: FlowPrompts | undefined;
  readonly invalid_prompt?: FlowPrompts | undefined;
  readonly no_input?: string | undefined;
  readonly invalid?: string | undefined;
}

/** The question's prompts, each with the name of its field. */
export function questionPrompts(node: Question): [field: string, prompt: FlowPrompt][] {
  return (['prompt', 'no_input_prompt', 'invalid_prompt'] as const).flatMap((field) =>
    promptsOf(node[field]).map((given): [string, FlowPrompt] => [field, given]),
  );
}

/** At least one of the two links must be given; it then serves for both. */
export function unansweredLinks({ no_input, invalid }: Question): FlowLink[] {
  if (no_input === undefined && invalid === undefined) return [requiredLink('no_input', undefined)];
  return [...optionalLink('no_input', no_input), ...optionalLink('invalid', invalid)];
}

/** One key, or a number of up to four digits. */
const choice = z.string().regex(/^(?:[0-9]{1,4}|[*#])$/);

/** Fields of a node that asks the caller for a choice. */
export const choiceFields = {
  ...questionFields,
  choices: z.record(choice, link).describe('The next node for each choice'),
} as const;

interface Choosing extends Question {
  readonly choices: Readonly<Record<string, string>>;
}

export function choiceLinks(node: Choosing): FlowLink[] {
  return [
    ...Object.entries(node.choices).map(([key, target]) => ({ name: `choices.${key}`, target })),
    ...unansweredLinks(node),
  ];
}

export function checkChoices(node: Choosing, checker: NodeChecker): void {
  if (Object.keys(node.choices).length === 0) checker.fault('no_choices', 'choices');
}
