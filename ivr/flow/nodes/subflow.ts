import type { NodeBehaviour } from '../node.js';

export const subflow: NodeBehaviour<'subflow'> = ({ callflow_id, next }, ctx) =>
  ctx.notes?.returned === true ? { go: next } : { enterFlow: callflow_id, returns: true };
