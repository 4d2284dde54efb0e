import type { NodeBehaviour } from '../node.js';

export const goto: NodeBehaviour<'goto'> = {
  enter: ({ next, callflow_id }) => (callflow_id === undefined ? { go: next } : { into: callflow_id, back: false }),
};
