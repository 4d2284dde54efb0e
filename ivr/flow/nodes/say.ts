import { expectOutcome, type NodeBehaviour } from '../node.js';

export const say: NodeBehaviour<'say'> = {
  enter: ({ text, language }, ctx) => ({ act: { type: 'play', items: ctx.spoken([{ text, language }]), loop: 1 } }),
  resume({ next }, outcome) {
    expectOutcome(outcome, 'played');
    return { go: next };
  },
};
