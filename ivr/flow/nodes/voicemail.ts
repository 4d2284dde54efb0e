import type { NodeBehaviour } from '../node.js';

export const voicemail: NodeBehaviour<'voicemail'> = {
  enter: ({ number }) => ({ act: { type: 'voicemail', number: number ?? null } }),
};
