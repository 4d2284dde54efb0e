/** One way out of a node. */
export interface FlowLink {
  /** The path of the member in the node: `next`, `choices.1`, `cases[0].next`. */
  readonly name: string;
  /** The id of the next node, or `return`; null if the link is missing. */
  readonly target: string | null;
}

/** A link that the node must have: the check reports it if it is missing. */
export function requiredLink(name: string, target: string | undefined): FlowLink {
  return { name, target: target ?? null };
}

export function optionalLink(name: string, target: string | undefined): FlowLink[] {
  return target === undefined ? [] : [{ name, target }];
}
