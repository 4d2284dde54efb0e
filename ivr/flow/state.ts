/** The place of a call in one flow. */
export interface FlowFrame {
  readonly callflowId: string;
  readonly version: number;
  readonly node: string;
}

/** A node's own notes, kept for a restart. They are deleted when the call leaves the node. */
export type NodeNotes = Readonly<Record<string, string | number | boolean>>;

/** The complete state of a flow in a call. It is saved with the call at each node. */
export interface FlowState {
  /** The flow that runs is the last; each returns to the one before it. */
  readonly frames: readonly FlowFrame[];
  readonly variables: Readonly<Record<string, string>>;
  readonly notes: NodeNotes | null;
  readonly steps: number;
  /** Steps since the caller or another party last did something. */
  readonly silentSteps: number;
}

/** The state at the start of a flow. An empty node id stands for its start node. */
export function stateAtStart(
  callflowId: string,
  version: number,
  variables: Readonly<Record<string, string>> = {},
): FlowState {
  return { frames: [{ callflowId, version, node: '' }], variables, notes: null, steps: 0, silentSteps: 0 };
}
