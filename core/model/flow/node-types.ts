import { z } from 'zod';
import { NODES } from './nodes/index.js';
import type { NodeDescriptor } from './parts/descriptor.js';

type Schema = (typeof NODES)[number]['schema'];

export type FlowNode = z.output<Schema>;
export type FlowNodeType = FlowNode['type'];
export type FlowNodeOf<T extends FlowNodeType> = Extract<FlowNode, { type: T }>;

/** A node of any type. */
export const flowNode = z.discriminatedUnion(
  'type',
  NODES.map(({ schema }) => schema) as unknown as readonly [Schema, ...Schema[]],
);

const descriptors: ReadonlyMap<string, NodeDescriptor> = new Map(
  NODES.map((descriptor: NodeDescriptor) => [descriptor.schema.shape.type.value, descriptor]),
);

/** The descriptor of the node's type. It accepts this node: both are selected by the same type. */
export function descriptorOf(node: FlowNode): NodeDescriptor {
  const descriptor = descriptors.get(node.type);
  if (!descriptor) throw new Error(`there is no node type ${node.type}`);
  return descriptor;
}
