import type { FlowNodeOf } from '../../core/model/flow/definition.js';
import { ASKING_DEFAULTS, promptsOf } from '../../core/model/flow/parts.js';
import type { FlowOutcomeOf, Spoken } from './actions.js';
import type { NodeContext, Step } from './node.js';

type Asking = FlowNodeOf<'menu' | 'auth_menu' | 'gather'>;

/** How the digits of the answer are taken. */
export interface Digits {
  readonly maxDigits: number;
  readonly terminator: '#' | '*' | null;
  readonly nextDigitMs: number;
}

/** Asks for the first time. */
export function ask(node: Asking, digits: Digits, ctx: NodeContext): Step {
  return wait(node, digits, ctx.spoken(promptsOf(node.prompt)));
}

/** Asks again, after a word about what was wrong; or goes on without an answer when that was tried often enough. */
export function askAgain(node: Asking, digits: Digits, why: 'no_input' | 'invalid', ctx: NodeContext): Step {
  const tries = Number(ctx.notes?.tries ?? 0) + 1;
  const retries = node.retries ?? ASKING_DEFAULTS.retries;
  if (tries > retries)
    return { go: why === 'no_input' ? (node.no_input ?? node.invalid) : (node.invalid ?? node.no_input) };
  ctx.note({ ...ctx.notes, tries });
  const word = promptsOf(why === 'no_input' ? node.no_input_prompt : node.invalid_prompt);
  return wait(node, digits, ctx.spoken([...word, ...promptsOf(node.prompt)]));
}

export function isSilence({ by }: FlowOutcomeOf<'answered'>): boolean {
  return by === 'silence';
}

function wait(node: Asking, digits: Digits, prompt: readonly Spoken[]): Step {
  const firstDigitMs = (node.timeout_seconds ?? ASKING_DEFAULTS.timeout_seconds) * 1000;
  return { act: { type: 'ask', prompt, firstDigitMs, ...digits } };
}
