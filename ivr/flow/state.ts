/** Where a call is in one flow. */
export interface FlowFrame {
  readonly callflowId: string;
  readonly version: number;
  readonly node: string;
}

/** A node's own notes, for going on after a restart; gone with the node. */
export type NodeNotes = Readonly<Record<string, string | number | boolean>>;

/** Everything that a flow knows of a call; kept with the call at each node. */
export interface FlowState {
  /** The flow that runs is the last; each comes back to the one before. */
  readonly frames: readonly FlowFrame[];
  readonly variables: Readonly<Record<string, string>>;
  readonly notes: NodeNotes | null;
  readonly steps: number;
  /** Since the caller, or another party, last did something. */
  readonly silentSteps: number;
}

/** At a flow's beginning; an empty node is its start. */
export function stateAtStart(callflowId: string, version: number): FlowState {
  return { frames: [{ callflowId, version, node: '' }], variables: {}, notes: null, steps: 0, silentSteps: 0 };
}
