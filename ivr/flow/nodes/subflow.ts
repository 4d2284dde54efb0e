import type { NodeBehaviour } from '../node.js';

export const subflow: NodeBehaviour<'subflow'> = {
  enter: ({ callflow_id }) => ({ into: callflow_id, back: true }),
};
