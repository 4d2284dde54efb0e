import type { z } from 'zod';
import type { FaultCode } from './faults.js';
import type { FlowPrompt } from './fields.js';
import type { FlowLink } from './links.js';
import type { NodeReference } from './references.js';

/** The form of a node: a strict object whose literal `type` names the node type. */
export type NodeSchema = z.ZodObject<{ readonly type: z.ZodLiteral<string> } & z.ZodRawShape>;

/** Receives the faults that a node's check finds. */
export interface NodeChecker {
  /** @param field path of the member in the node; empty for the node itself */
  fault(code: FaultCode, field: string, about?: string): void;
  /** Reports the names that only the platform may set. */
  variables(names: readonly string[], field: string): void;
}

/** Everything that the model knows about one node type. How the node behaves in a call is in `ivr/flow/nodes`. */
export interface NodeDescriptor<Schema extends NodeSchema = NodeSchema, Script extends z.ZodRawShape = z.ZodRawShape> {
  readonly schema: Schema;
  /** The node waits for the caller to do something, so a loop through it does not run away. */
  readonly asksCaller?: true;
  /** Variables that the node sets under fixed names. A flow can read them but not set them. */
  readonly resultVariables?: readonly string[];
  /** Members of a simulation script that give the outcomes of such nodes. */
  readonly script?: Script;
  /** Every way out that the node has, or must have. */
  links(node: z.output<Schema>): FlowLink[];
  /** Everything that the caller hears, with the path of the member in the node. */
  prompts?(node: z.output<Schema>): [field: string, prompt: FlowPrompt][];
  /** Other members that may contain `{{variables}}`; values that are not texts are ignored. */
  templates?(node: z.output<Schema>): [field: string, value: unknown][];
  /** Queues, numbers, agents and call flows that the node names. Audio is taken from `prompts`. */
  references?(node: z.output<Schema>): NodeReference[];
  /** Reports faults that the schema cannot express and that do not depend on other nodes. */
  check?(node: z.output<Schema>, checker: NodeChecker): void;
}

/** Infers the node's type from its schema, for the functions of the descriptor. */
export function defineNode<Schema extends NodeSchema, Script extends z.ZodRawShape = never>(
  descriptor: NodeDescriptor<Schema, Script>,
): NodeDescriptor<Schema, Script> {
  return descriptor;
}

/** Entries for `templates`, one for each member of an object. */
export function membersOf(
  field: string,
  members: Readonly<Record<string, unknown>> | undefined,
): [field: string, value: unknown][] {
  return Object.entries(members ?? {}).map(([name, value]) => [`${field}.${name}`, value]);
}
