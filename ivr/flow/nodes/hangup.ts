import type { NodeBehaviour } from '../node.js';

export const hangup: NodeBehaviour<'hangup'> = {
  enter: ({ reason }) => ({ act: { type: 'end', reason: reason ?? 'normal' } }),
};
