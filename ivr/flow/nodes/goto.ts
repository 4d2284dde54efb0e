import type { NodeBehaviour } from '../node.js';

export const goto: NodeBehaviour<'goto'> = ({ next, callflow_id }) =>
  callflow_id === undefined ? { go: next } : { enterFlow: callflow_id, returns: false };
