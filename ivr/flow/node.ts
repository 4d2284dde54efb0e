import type { EventData, EventType } from '../../core/model/events/index.js';
import type { FlowNodeOf, FlowNodeType } from '../../core/model/flow/definition.js';
import type { FlowLanguage, FlowPrompt } from '../../core/model/flow/parts.js';
import type { FlowAction, FlowOutcome, Spoken } from './actions.js';
import type { NodeNotes } from './state.js';

/** What a node does next: on to another node (undefined: the link is missing), into another flow, or something that takes time. */
export type Step =
  | { readonly go: string | undefined }
  | { readonly act: FlowAction }
  /** Another flow. @param back whether the call comes back to this node's `next` */
  | { readonly into: string; readonly back: boolean };

/** What a node may see and change. */
export interface NodeContext {
  readonly id: string;
  readonly callflowId: string;
  readonly language: FlowLanguage;
  readonly now: Date;
  /** The call as an event to the customer's systems names it. */
  readonly facts: FlowFacts;
  /** The node's own, from before a restart; null at its beginning. */
  readonly notes: NodeNotes | null;
  note(notes: NodeNotes): void;
  valueOf(name: string): string;
  set(name: string, value: string): void;
  /** The text with its values. @param encode how a value is written there */
  text(template: string, encode?: (value: string) => string): string;
  spoken(prompts: readonly FlowPrompt[]): Spoken[];
  newId(): string;
  tell<T extends EventType>(type: T, data: EventData<T>): void;
}

/** What a flow knows of its call from the beginning. */
export interface FlowFacts {
  readonly callId: string;
  readonly direction: 'inbound' | 'outbound';
  /** E.164; empty where it is withheld. */
  readonly callerNumber: string;
  readonly callerNumberMasked: string;
  readonly lineNumber: string;
}

/** How one type of node behaves. */
export interface NodeBehaviour<T extends FlowNodeType> {
  /** The call arrives, or the application is back and the node begins again. */
  enter(node: FlowNodeOf<T>, ctx: NodeContext): Step;
  /** What it wanted done has an outcome. */
  resume?(node: FlowNodeOf<T>, outcome: FlowOutcome, ctx: NodeContext): Step;
}

/** An outcome that does not belong to what was wanted: the machine makes a fault of it. */
export class FlowError extends Error {
  override readonly name = 'FlowError';
}

/** The outcome, where it is of this type. @throws FlowError */
export function expectOutcome<T extends FlowOutcome['type']>(
  outcome: FlowOutcome,
  type: T,
): Extract<FlowOutcome, { type: T }> {
  if (outcome.type !== type) throw new FlowError(`the outcome ${outcome.type} came instead of ${type}`);
  return outcome as Extract<FlowOutcome, { type: T }>;
}
