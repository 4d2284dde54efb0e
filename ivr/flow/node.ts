import type { EventData, EventType } from '../../core/model/events/index.js';
import type { FlowNodeOf, FlowNodeType } from '../../core/model/flow/node-types.js';
import type { FlowLanguage, FlowPrompt } from '../../core/model/flow/parts/fields.js';
import type { FlowAction } from './action.js';
import type { Outcome } from './outcome.js';
import type { RenderedPrompt } from './prompt.js';
import type { NodeNotes } from './state.js';

/** What a node does next. */
export type Step =
  /** Go to another node. Undefined: the link is missing, which is a fault. */
  | { readonly go: string | undefined }
  /** Have something done, and continue with its outcome. */
  | { readonly action: FlowAction; readonly onOutcome: (outcome: Outcome) => Step }
  /** Enter another flow. If it `returns`, this node is entered again afterwards, with the note `returned`. */
  | { readonly enterFlow: string; readonly returns: boolean };

/** How one type of node behaves: the step it takes when a call arrives, or again when a call continues at it after a restart. */
export type NodeBehaviour<T extends FlowNodeType> = (node: FlowNodeOf<T>, ctx: NodeContext) => Step;

/** What a node can read and change. */
export interface NodeContext {
  readonly id: string;
  readonly callflowId: string;
  /** The language of prompts that name none. */
  readonly language: FlowLanguage;
  readonly now: Date;
  readonly facts: FlowFacts;
  /** The node's own notes, which survive a restart; null when the call arrives. */
  readonly notes: NodeNotes | null;
  note(notes: NodeNotes): void;
  /** The variable's value; empty if it was never set. */
  variable(name: string): string;
  set(name: string, value: string): void;
  /** The text with the values of its variables. @param encode escapes a value */
  fill(template: string, encode?: (value: string) => string): string;
  render(prompts: readonly FlowPrompt[]): RenderedPrompt[];
  newId(): string;
  /** Sends an event to the customer's webhooks. */
  emit<T extends EventType>(type: T, data: EventData<T>): void;
}

/** What a flow knows about its call from the start. */
export interface FlowFacts {
  readonly callId: string;
  readonly direction: 'inbound' | 'outbound';
  /** E.164; empty if it is withheld. */
  readonly callerNumber: string;
  readonly callerNumberMasked: string;
  readonly lineNumber: string;
}

/** A step that waits for an action. */
export function act<O extends Outcome>(action: FlowAction<O>, onOutcome: (outcome: O) => Step): Step {
  // The machine passes an action's outcome only to the function that came with the action.
  return { action, onOutcome: onOutcome as (outcome: Outcome) => Step };
}

/** A step that hands the call over or ends it, so no outcome follows. */
export function actLast(action: FlowAction): Step {
  return act(action, () => ({ go: undefined }));
}

/** The flow cannot continue: the machine turns this error into a fault. */
export class FlowError extends Error {
  override readonly name = 'FlowError';
}
