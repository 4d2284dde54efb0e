import { expectOutcome, type NodeBehaviour } from '../node.js';

export const record: NodeBehaviour<'record'> = {
  enter: ({ action }) => ({ act: { type: 'record', does: action } }),
  resume({ next }, outcome) {
    expectOutcome(outcome, 'done');
    return { go: next };
  },
};
